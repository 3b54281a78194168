import { describe, expect, it } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { deny, needing } from "./effects.ts";

const denied = (subject: string, rule = "Bash(rm -rf:*)") =>
  decide(needing([], { subject }), "auto", [deny(rule)], true).action === "deny";

describe("P6: a deny of words looks into texts that are run", () => {
  it.each([
    // Variables that a shell reads as it starts, and those that hold commands.
    "ENV=s sh -i",
    "ENV=s sh x.sh",
    "BASH_ENV=./s bash x.sh",
    "env BASH_ENV=s bash x.sh",
    "ENV=s; sh x.sh",
    "export BASH_ENV=s; bash x.sh",
    "PROMPT_COMMAND='rm -rf x' bash x.sh",
    "PAGER='rm -rf x' git log",
    "GIT_SSH_COMMAND='rm -rf x' git fetch",
    "export GIT_EDITOR='rm -rf x'",
    "LESSOPEN='|rm -rf x' less a",
    "GIT_EDITOR=$x git commit",
    "export GIT_EDITOR=$x",
    "export GIT_EDITOR=r\\m",
    "GIT_CONFIG_COUNT=1 git x",
    "env EDITOR='rm -rf x' git commit",
    // Subscripts within [[ ]].
    "[[ -v 'a[$(rm -rf x)]' ]]",
    "[[ 'a[$(rm -rf x)]' -eq 1 ]]",
    "[[ 1 -lt 'a[`rm -rf x`]' ]]",
    // Settings of git.
    "git -c alias.x='!rm -rf x' x",
    "git -c 'alias.x=!rm -rf x' x",
    "git -C a -c core.pager='rm -rf x' log",
    "git -c core.sshCommand='rm -rf x' fetch",
    "git -c alias.x=$y x",
    "git --config-env=alias.x=Y x",
    "git config alias.x '!rm -rf x'",
    "git -c Credential.helper='!rm -rf x' fetch",
    "V='!rm -rf x' git --config-env alias.z=V z",
    'git -c "$X" st',
    "git -c core.alternateRefsCommand='rm -rf x' fetch",
    "git -c uploadpack.packObjectsHook='rm -rf x' fetch",
    "git config submodule.a.update '!rm -rf x'",
    // What git's commands run.
    "git clone 'ext::rm -rf x'",
    "git clone 'ext::rm% -rf x'",
    "git remote add x 'ext::rm -rf x'",
    "git bisect run rm -rf x",
    "git rebase --exec 'rm -rf x' main",
    "git -C a rebase -x 'rm -rf x' main",
    "git rebase --exe='rm -rf x' main",
    "git submodule foreach 'rm -rf x'",
    "git submodule --quiet foreach --recursive rm -rf x",
    "git submodule foreach $x",
    "git filter-branch --tree-filter 'rm -rf x'",
    "git difftool --extcmd='rm -rf x'",
    "git grep -O'rm -rf x' a",
    "git grep --open-files-in-pager='rm -rf x' a",
    "git clone -u 'rm -rf x' a b",
    "git fetch --upload-pack='rm -rf x' .",
    "git push --receive-pack 'rm -rf x' .",
    // Variables that hold commands go by their names.
    "KUBE_EDITOR='rm -rf x' kubectl edit a",
    "SVN_SSH='rm -rf x' svn up",
    "AWS_PAGER='rm -rf x' aws s3",
    "FZF_DEFAULT_COMMAND='rm -rf x' fzf",
    // Slashes, comments and patterns of awk that would hide where its texts begin and end.
    "awk 'BEGIN{x=1/2;c=\"rm -rf a\";print|c;y=3/4}'",
    "awk 'BEGIN{i++/2;c=\"rm -rf a\";print|c;y=3/4}'",
    'awk \'# "\nBEGIN{c="rm -rf a";print|c}#"\'',
    'awk \'/"/{c="rm -rf a";print|c}/"/\'',
    'awk \'/[/"]/{c="rm -rf a";print|c}/"/\'',
    'awk \'BEGIN{c="system";@c("rm -rf a")}\'',
    'awk \'BEGIN{"rm -rf" " a" | getline x}\'',
    'awk \'BEGIN{c="/bin/r"; c "m -rf a" | getline x}\'',
    "awk 'BEGIN{system(\"\\162m -rf a\")}'",
    // awk.
    "awk 'BEGIN{system(\"rm -rf x\")}'",
    "gawk 'BEGIN { system ( \"rm -rf x\" ) }'",
    'awk \'BEGIN{c="rm -r"; system(c "f x")}\'',
    "awk '{print | \"rm -rf x\"}'",
    "awk 'BEGIN{\"rm -rf x\" | getline y}'",
    "awk 'BEGIN{c | getline y}'",
    "awk '{print |& c}'",
    "awk '{print | \"rm\" a}'",
    'mawk "$p | x"',
  ])("denies %s", (text) => expect(denied(text)).toBe(true));

  it("a long program is denied without being searched", () => {
    const quotes = '\\"'.repeat(4000);
    expect(denied(`awk '"${quotes}|'`)).toBe(true);
    expect(denied(`awk '{print "${"x".repeat(9000)}"}'`)).toBe(false);
  });
  it("denies an alias for one of git's own commands", () => {
    expect(denied("git -c alias.x=push x", "Bash(git push:*)")).toBe(true);
    expect(denied("git -c alias.x=status x", "Bash(git push:*)")).toBe(false);
  });
  it.each([
    "PAGER=cat git log",
    "A=1 make",
    "PS1='$ ' bash x.sh",
    "export PATH=/a:$PATH",
    "export EDITOR=vim",
    "export EDITOR='vim -f'",
    "[[ -v a ]]",
    "[[ 3 -eq 4 ]]",
    "[[ 'a[$(ls)]' -eq 1 ]]",
    "git -c user.name=\"$N\" -c color.ui=always commit -m 'alias.x'",
    "git -c core.pager=cat log",
    "git config user.email a@b.c",
    "awk '{print $1}' a",
    "awk '/a|b/{print}' a",
    "awk '$1 || $2 {print}' a",
    "awk '{print | \"sort -u\"}' a",
    "awk 'BEGIN{\"date\" | getline d; print d}'",
    "awk 'BEGIN{system(\"ls\")}'",
    "awk '{ while ((getline l < \"f\") > 0) print l }'",
    "awk -F'|' '{print $2}' a",
    "awk -v OFS='|' '{print $1/2, $2}' a",
    'awk \'/"/ || $1 ~ /x|y/ {print "a"} # fine "\' a',
    "awk '{print > \"a@b\"}' system.log",
    "awk 'BEGIN{while ((\"date\" | getline l) > 0) print l}'",
    'git commit -c "$sha"',
    'git switch -c "$branch"',
    'git push -u origin "$branch"',
    "git -c user.name=$N commit -x",
    'git add -u "$d"',
    "git grep -O a",
    'git submodule update --init "$d"',
    "git rebase -x 'npm test' main",
    "git bisect run npm test",
    'git clean -xdf "$d"',
  ])("leaves %s alone", (text) => expect(denied(text)).toBe(false));
});
