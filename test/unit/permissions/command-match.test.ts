import { beforeEach, describe, expect, it } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { readScript } from "../../../src/permissions/words.ts";
import shellCases from "./shell-cases.json" with { type: "json" };
import { allow, ask, command, deny, needing } from "./effects.ts";

/** Whether a command's ordinary changes land unasked in ask mode under these allows. */
function lands(text: string, ...rules: string[]): boolean {
  const { action } = decide(
    command(text),
    "ask",
    rules.map((r) => allow(r)),
    true,
  );
  return action === "allow";
}
/** What a deny of these words makes of the command before it runs. */
function denied(text: string, ...rules: string[]): boolean {
  return (
    decide(
      needing([], { subject: text }),
      "auto",
      rules.map((r) => deny(r)),
      true,
    ).action === "deny"
  );
}

// What was read a moment ago is kept: each test reads its own text.
beforeEach(() => {
  for (let n = 0; n < 32; n++) readScript(`: ${n}`);
});

describe("P6: an allow of words", () => {
  it.each([
    ["npm test", "npm test"],
    ["  npm   test ", "npm test"],
    ["npm 'test'", "npm test"],
    ["npm test", "npm:*"],
    ["npm test -- --run x", "npm test:*"],
    ["npm test 2>&1", "npm test"],
    ["npm test >/dev/null 2>/dev/null </dev/null", "npm test"],
    ["npm test &", "npm test"],
    ["npm test # all", "npm test"],
    ["time npm test", "npm test"],
    ["(npm test)", "npm test"],
    ["make || npm test", "npm test", "make"],
    ["make\nnpm test | cat", "npm test", "make", "cat"],
    ["if make; then npm test; fi", "npm test", "make"],
    ["if [[ -f x && a == b ]]; then npm test; fi", "npm test"],
    ["npm te\\\nst", "npm test"],
    ["npm test x y", "npm test *"],
    ["npm test", "npm test *"],
    ["echo x > out.txt", "echo x > out.txt"],
    ["FOO=1 make", "FOO=1 make"],
    ["{ make; } > out.txt", "{ make; } > out.txt"],
    ["{ make; } > /dev/null 2>&1", "make"],
    ["anything $here; at *all", "Bash"].slice(0, 2),
  ])("covers %j by %j", (text = "", ...rules) => {
    expect(lands(text, ...rules.map((r) => (r === "Bash" ? r : `Bash(${r})`)))).toBe(true);
  });
  it.each([
    ["npm", "npm test"],
    ["npm test x", "npm test"],
    ["npmx test", "npm:*"],
    ["npm testing", "npm test:*"],
    ["NPM test", "npm test"],
    ["/usr/bin/npm test", "npm test"],
    ["./npm test", "npm:*"],
    ["FOO=1 npm test", "npm:*"],
    ["PATH=.:$PATH npm test", "npm:*"],
    ["FOO=1; npm test", "npm:*"],
    ["npm test > a.txt", "npm:*"],
    ["npm test >> a.txt", "npm:*"],
    ["npm test >| a.txt", "npm:*"],
    ["npm test 2> a.txt", "npm:*"],
    ["npm test &> a.txt", "npm:*"],
    ["npm test <> a.txt", "npm:*"],
    ["npm test > /dev/null > a.txt", "npm:*"],
    ["npm test >/dev/null2>a.txt", "npm:*"],
    ["npm test > 'a''b'", "npm:*"],
    ["[[ 'a[$(touch MARK)]' -eq 0 ]] && npm test", "npm:*"],
    ["[[ 0 -lt a[0] ]] && npm test", "npm:*"],
    ["[[ -v 'a[$(touch MARK)]' ]] || npm test", "npm:*"],
    ["[[ -R x ]] || npm test", "npm:*"],
    ["a[0]=1 npm test", "npm:*"],
    ["alias npm=touch; npm test", "npm:*"],
    ["shopt -s expand_aliases\nalias npm='touch MARK'\nnpm test", "npm:*"],
    ["function npm { touch MARK; }; npm test", "npm:*"],
    ["declare -f npm; npm test", "npm:*"],
    ["npm test <<-EOF\n\t$(touch MARK)\n\tEOF", "npm:*"],
    ["npm te\\\nst; touch MARK", "npm:*"],
    ["npm test &\ntouch MARK &", "npm:*"],
    ["if npm test; then :; else touch MARK; fi", "npm:*"],
    ["case $(touch MARK) in *) npm test;; esac", "npm:*"],
    ["for f in $(touch MARK); do npm test; done", "npm:*"],
    ["select npm in test; do npm; done < x", "npm:*"],
    ["{ npm test; } <<< x", "npm:*"],
    ["if npm test; then npm x; fi 2> MARK", "npm:*"],
    ["npm test |& tee MARK", "npm:*"],
    ["{ npm test; } > MARK", "npm:*"],
    ["(npm test) >> MARK", "npm:*"],
    ["while npm test; do :; done > MARK", "npm:*"],
    ["npm test {fd}>/dev/null", "npm:*"],
    ["npm test >&$x", "npm:*"],
    ["npm test > $null", "npm:*"],
    ["npm test <<< x", "npm:*"],
    ["npm test <<EOF\nx\nEOF", "npm:*"],
    ["npm $x", "npm:*"],
    ["npm *.ts", "npm:*"],
    ["npm ~/x", "npm:*"],
    ["npm {a,b}", "npm:*"],
    ["npm $'\\x74est'", "npm:*"],
    ['npm "$(touch MARK)"', "npm:*"],
    ["npm `touch MARK`", "npm:*"],
    ["npm <(touch MARK)", "npm:*"],
    ["npm $((a[$(touch MARK)]))", "npm:*"],
    ["npm 'a[$(touch MARK)]'", "npm:*"],
    ["npm test; touch MARK", "npm:*"],
    ["npm test && npm test || touch MARK", "npm:*"],
    ["npm() { touch MARK; }; npm test", "npm:*"],
    ["npm() { npm x; }; npm test", "npm:*"],
    ["coproc npm test", "npm:*"],
    ["env npm test", "npm:*"],
    ["timeout 5 npm test", "npm:*"],
    ["xargs npm", "npm:*"],
    ["bash -c 'npm test'", "npm:*"],
    ["eval npm test", "npm:*"],
    ["sudo npm test", "npm:*"],
    ["find . -exec npm test ;", "npm:*"],
    ["npm test )", "npm:*"],
    ["npm 'test", "npm:*"],
    ["npm test\rtouch MARK", "npm:*"],
    ["npm\u0000 test", "npm:*"],
    ["npm \u001b[2K", "npm:*"],
    ["n\u200bpm test", "npm:*"],
    ["npm test \u202e", "npm:*"],
    ["npm\u00a0test", "npm:*"],
    ["", "npm:*"],
    ["# npm", "npm:*"],
    ["npm " + "x".repeat(70_000), "npm:*"],
    ["npm test " + "<<A".repeat(65), "npm:*"],
  ])("does not cover %j by %j", (text = "", rule = "") => {
    expect(lands(text, `Bash(${rule})`)).toBe(false);
  });
});

describe("P6: a deny of words", () => {
  it.each([
    ["rm -rf x", "rm -rf:*"],
    ["true; rm -rf x", "rm -rf:*"],
    ["(rm -rf x)", "rm -rf:*"],
    ["echo x | xargs rm -rf", "rm -rf:*"],
    ["echo $(rm -rf x)", "rm -rf:*"],
    ["cat <(rm -rf x)", "rm -rf:*"],
    ["cat <<EOF\n$(rm -rf x)\nEOF", "rm -rf:*"],
    ["if true; then rm -rf x; fi", "rm -rf:*"],
    ["f() { rm -rf x; }; f", "rm -rf:*"],
    ["A=1 rm -rf x", "rm -rf:*"],
    ["/bin/rm -rf x", "rm -rf:*"],
    ["\\rm -rf x", "rm -rf:*"],
    ["r''m -rf x", "rm -rf:*"],
    ["RM -rf x", "rm -rf:*"],
    ["$x -rf x", "rm -rf:*"],
    ["rm $flags x", "rm -rf:*"],
    ["rm -* x", "rm -rf:*"],
    ["{rm,-rf,x}", "rm -rf:*"],
    ["$'\\x72m' -rf x", "rm -rf:*"],
    ["env -i A=1 rm -rf x", "rm -rf:*"],
    ["env $x", "rm -rf:*"],
    ["timeout -k 1 5 rm -rf x", "rm -rf:*"],
    ["sudo -u me rm -rf x", "rm -rf:*"],
    ["/usr/bin/env rm -rf x", "rm -rf:*"],
    ["find . -exec rm -rf {} ;", "rm -rf:*"],
    ["bash -c 'cd y; rm -rf x'", "rm -rf:*"],
    ["sh -euc 'rm -rf x'", "rm -rf:*"],
    ['bash -c "$x"', "rm -rf:*"],
    ["xargs sh -c 'rm -rf x'", "rm -rf:*"],
    ["bash -c \"bash -c 'rm -rf x'\"", "rm -rf:*"],
    ["eval 'rm -rf x'", "rm -rf:*"],
    ["eval rm -rf x", "rm -rf:*"],
    ["eval $x", "rm -rf:*"],
    ["trap 'rm -rf x' EXIT", "rm -rf:*"],
    ["script -qc 'rm -rf x' /dev/null", "rm -rf:*"],
    ["echo cm0= | base64 -d | sh", "rm -rf:*"],
    ["bash <<< 'rm -rf x'", "rm -rf:*"],
    ["printf x | bash -s", "rm -rf:*"],
    ["rm -rf x )", "rm -rf:*"],
    ["ls )", "rm -rf:*"],
    ["ls\rrm", "rm -rf:*"],
    ["x".repeat(70_000), "rm -rf:*"],
    ["ls " + "<<A".repeat(65), "rm -rf:*"],
    ["env " + "a ".repeat(101) + "rm -rf x", "rm -rf:*"],
    ["env -i $x -rf y", "rm -rf:*"],
    ["eval ".repeat(2000) + "x", "rm -rf:*"],
    ["echo " + "$(".repeat(501) + "ls" + ")".repeat(501), "rm -rf:*"],
    ["./mk x", "./mk:*"],
    ["git push", "git push"],
    ["git push $x", "git push"],
    ["git $x", "git push:*"],
    ["anything", "Bash"],
    ["git push origin main --force", "git push * --force"],
    ["/usr/bin/git push origin --force", "git push * --force"],
    ["env git push a --force", "git push * --force"],
    ["git push $x", "git push * --force"],
    ["$git push", "git push * --force"],
    ["git $x", "git p*"],
    ["git pull", "git p*"],
    ["git push main", "* main"],
    ["node --version", "* --version"],
    ["lsof", "ls*"],
    ["ls", "ls*"],
    ["curl http://a.test/x", "curl http://a.test/*"],
    ["curl -s http://a.test/x", "curl *a.test*"],
    ["bash -c 'git push a --force'", "git push * --force"],
    ["rm", "rm*"],
    ["git commit -m x", "git * *"],
    ["git x".padEnd(60_000, "y"), "git *z".padEnd(900, "q*")],
    ["alias x='rm -rf'", "rm -rf:*"],
    ["make && make x", "make && make x"],
    ["  make && make x ", "make && make x"],
    ["ls )", "make && make x"],
    ["env " + "a ".repeat(100), "rm -rf:*"],
    ["sh -c 'a b';".repeat(300), "rm -rf:*"],
    ["timeout 15s $x", "rm -rf:*"],
    ["timeout 5 $x", "rm -rf:*"],
    ["timeout 1.5 -v $x", "rm -rf:*"],
    ["env A=1 $x", "rm -rf:*"],
    ["git", "git * *"],
    ["git push $x", "git p* x"],
    ["a $x", "*x y"],
    ["eval echo $x", "rm -rf:*"],
    ["bash -cx 'rm -rf x'", "rm -rf:*"],
    ["bash -O extglob -c reboot", "reboot"],
    ["sh -c reboot", "reboot:*"],
    ["hyperfine 'rm -rf x'", "rm -rf:*"],
    ["find . -name a -delete", "find * -delete"],
    ["pkexec rm -rf x", "rm -rf:*"],
    ["systemd-run --user rm -rf x", "rm -rf:*"],
    ["ssh-agent rm -rf x", "rm -rf:*"],
    ["bash <(echo rm -rf x)", "rm -rf:*"],
    ["bash -s a <<< 'rm -rf x'", "rm -rf:*"],
    ["bash -O extglob <<< 'rm -rf x'", "rm -rf:*"],
    ["bash +x -o pipefail <<< 'rm -rf x'", "rm -rf:*"],
    ["bash --rcfile a <<< 'rm -rf x'", "rm -rf:*"],
    ["bash /dev/stdin <<< 'rm -rf x'", "rm -rf:*"],
    ["bash $x", "rm -rf:*"],
    ["source <(echo rm -rf x)", "rm -rf:*"],
    ["source /dev/stdin <<< 'rm -rf x'", "rm -rf:*"],
    [". /proc/self/fd/0 <<< 'rm -rf x'", "rm -rf:*"],
    ['. "$dir/stdin"', "rm -rf:*"],
    ["env -S 'rm -rf x'", "rm -rf:*"],
    ["env -iS'rm -rf x'", "rm -rf:*"],
    ["env --split-string='rm -rf x'", "rm -rf:*"],
    ["env --split-string 'rm -rf x'", "rm -rf:*"],
    ['env A=1 -S "$x"', "rm -rf:*"],
    ["env -S$x", "rm -rf:*"],
    ["mapfile -C 'rm -rf x; :' -c 1", "rm -rf:*"],
    ["let 'a[$(rm -rf x)]=1'", "rm -rf:*"],
    ["printf -v 'a[$(rm -rf x)]' 1", "rm -rf:*"],
    ["test -v 'a[`rm -rf x`]'", "rm -rf:*"],
    ["/bin/r? -rf x", "rm -rf:*"],
    ["git -C . push", "git push:*"],
    ["git -c a=b --no-pager -C . push --force", "git push:*"],
    ["env git -C $x push", "git push"],
    ["git -C . $x", "git push:*"],
    ["git -C . push a --force", "git push * --force"],
  ])("denies %j by %j", (text = "", rule = "") => {
    expect(denied(text, rule === "Bash" ? rule : `Bash(${rule})`)).toBe(true);
  });
  it.each([
    ["rm x", "rm -rf:*"],
    ["rm *.log", "rm -rf:*"],
    ["echo rm -rf x", "rm -rf:*"],
    ["echo 'rm -rf x'", "rm -rf:*"],
    ["grep -r 'rm -rf' .", "rm -rf:*"],
    ["git log $x", "git push:*"],
    ["git push origin", "git push"],
    ["timeout 5 echo $x", "rm -rf:*"],
    ["bash script.sh", "rm -rf:*"],
    ["bash --version", "rm -rf:*"],
    ["bash 'rm -rf x' y", "rm -rf:*"],
    ["bash ./x -c", "rm -rf:*"],
    ["./rm.sh -rf", "rm -rf:*"],
    ["for f in *.ts; do echo $f; done", "rm -rf:*"],
    ["", "rm -rf:*"],
    ["git push origin main", "git push * --force"],
    ["git status", "git p*"],
    ["git status $x", "git p* x"],
    ["echo git push --force", "git push * --force"],
    ["hub push a --force", "git push * --force"],
    ["make && make y", "make && make x"],
    ["$x", "make && make x"],
    ["env " + "a ".repeat(99), "rm -rf:*"],
    ["sh -c 'a b';".repeat(290), "rm -rf:*"],
    ["env -* $y", "rm -rf:*"],
    ["timeout a-b $x", "rm -rf:*"],
    ["timeout x5s $x", "rm -rf:*"],
    ["timeout 5sx $x", "rm -rf:*"],
    ["timeout abs $x", "rm -rf:*"],
    ["rm", "rm -rf:*"],
    ["git push $x y", "git push"],
    ["A=1", "**"],
    ["eval echo x", "rm -rf:*"],
    ["trap 'echo x' EXIT", "rm -rf:*"],
    ["bash ./x-c 'rm -rf x'", "rm -rf:*"],
    ["bash -c= 'rm -rf x'", "rm -rf:*"],
    ["bash -c 'echo x' -rf +rf", "rf"],
    ['bash "$dir/build.sh"', "rm -rf:*"],
    ["bash -O extglob a.sh", "rm -rf:*"],
    ["bash --help", "rm -rf:*"],
    [". ~/.cargo/env", "rm -rf:*"],
    ["source .venv/bin/activate", "rm -rf:*"],
    ["env -i A=1 ls $x", "rm -rf:*"],
    ["env -S 'ls x'", "rm -rf:*"],
    ["printf 'a [`rm -rf x`]'", "rm -rf:*"],
    ["test -n 'a[$(ls)]'", "rm -rf:*"],
    ["/bin/l? -rf x", "rm -rf:*"],
    ["git -C $x log", "git push:*"],
    ["git -C . log push", "git push:*"],
    ["git log --oneline push", "git push:*"],
    ["", "git p*"],
  ])("leaves %j alone under %j", (text = "", rule = "") => {
    expect(denied(text, `Bash(${rule})`)).toBe(false);
  });
  it("an ask matches as a deny does", () => {
    const { action } = decide(needing([], { subject: "env rm -rf x" }), "auto", [ask("Bash(rm:*)")], true);
    expect(action).toBe("ask");
  });
});

describe("field reports", () => {
  it("perm-compound: each command of a line counts", () => {
    const rules = [allow("Bash(git:*)"), deny("Bash(rm -rf:*)")];
    const before = (text: string) => decide(needing([], { subject: text }), "ask", rules, true).action;
    const after = (text: string) => decide(command(text), "ask", rules, true).action;
    for (const text of ["git status && touch pwned", "git log $(touch pwned)", "git status\ntouch pwned"])
      expect(after(text)).toBe("ask");
    for (const text of ["true; rm -rf x", "(rm -rf x)", "echo x | xargs rm -rf"]) expect(before(text)).toBe("deny");
    expect(before("git status && git log")).toBe("allow");
    expect(after("git status && git log")).toBe("allow");
  });
  it("perm-escaped-space: words are compared as the program gets them", () => {
    for (const text of ["./mk my\\ docs/b", './mk "my docs/c"', "./mk"]) expect(lands(text, "Bash(./mk:*)")).toBe(true);
    expect(lands("./mkall e", "Bash(./mk:*)")).toBe(false);
  });
});

/** Commands of the corpus whose areas are about what hides behind a harmless word. */
const cases: readonly (readonly [id: string, command: string])[] = shellCases.map(([id = "", text = ""]) => [
  id,
  text.replace(/\{REPEAT:(.):(\d+)\}/g, (_, sign: string, n: string) => sign.repeat(Number(n))),
]);

describe("corpus: allows of harmless words cover nothing that hides behind them", () => {
  const harmless = "ls cat echo true printf head base64 : cd pwd".split(" ").map((word) => `Bash(${word}:*)`);
  it.each(cases)("%s", (_id, text) => {
    expect(lands(text, ...harmless)).toBe(false);
  });
  it("the same words alone are covered", () => {
    for (const text of ["ls; cat a.txt | head -n 3", "echo x && printf y", "true"])
      expect(lands(text, ...harmless)).toBe(true);
  });
});

describe("corpus: a deny of touch finds it wherever the text shows it", () => {
  const shown = cases.filter(
    ([, text]) => /(^|[^\w])touch\b/.test(text) && !/alias|printf -v|echo touch|\uff1b|touch' \| bash/.test(text),
  );
  it.each(shown)("%s", (_id, text) => {
    expect(denied(text, "Bash(touch:*)")).toBe(true);
  });
});

describe("readScript", () => {
  it("shell-chaining-021, shell-chaining-022: the last of many commands is seen like the first", () => {
    const script = readScript("ls && ".repeat(3000) + "touch MARK");
    expect(script.commands).toHaveLength(3001);
    expect(script.commands.at(-1)?.words.map((w) => w.value)).toEqual(["touch", "MARK"]);
  });
  it("SEC-2: a limit reached is never a weaker check", () => {
    for (const text of ["x".repeat(65_537), "cat " + "<<A ".repeat(65), "$(".repeat(400) + "ls" + ")".repeat(400)])
      expect(readScript(text)).toMatchObject({ opaque: true });
  });
});
