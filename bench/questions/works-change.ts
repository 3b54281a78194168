import { bash, del, edit, glob, grep, read, todo, type Work, write } from "./call.ts";

const TEST = bash("npm test 2>&1 | tail -20", { description: "Run the tests" });
const SUM = "  let sum = 0;\n  for (const item of items) sum += item.amount ?? 0;\n  return round(sum);";

/** Work that changes the project. */
export const CHANGES: readonly Work[] = [
  {
    name: "mend a bug",
    turns: [
      [bash("git status --short && git log --oneline | head -5"), glob("src/**/*.js")],
      [grep("round\\(", "src"), read("src/util.js")],
      [read("src/price.js"), read("test/price.test.js")],
      [bash("node --test test/price.test.js")],
      [bash(`node -e "import('./src/util.js').then(m => console.log(m.round(-1.005), m.round(1.005)))"`)],
      [
        edit(
          "src/util.js",
          "Math.round((n + Number.EPSILON) * 100) / 100",
          "Math.sign(n) * (Math.round((Math.abs(n) + Number.EPSILON) * 100) / 100)",
        ),
      ],
      [bash(`node -e "import('./src/util.js').then(m => console.log(m.round(-1.005), m.round(1.005)))"`)],
      [TEST],
      [
        edit(
          "test/price.test.js",
          'test("price"',
          'test("a refund", () => assert.equal(price([{ amount: -1.005 }]), -1.01));\ntest("price"',
        ),
      ],
      [bash("node --test test/price.test.js"), bash("npm run check")],
      [TEST, bash("git diff --stat"), bash("git diff src")],
    ],
  },
  {
    name: "a feature with tests",
    turns: [
      [read("package.json"), read("src/index.js"), glob("test/*")],
      [todo(["Write gift.js", "active"], ["Test it", "pending"], ["Docs", "pending"])],
      [read("src/coupon.js"), read("test/coupon.test.js"), grep("coupon")],
      [
        write(
          "src/gift.js",
          'import { round } from "./util.js";\n\n/** Price of wrapping. */\nexport const gift = (n) => round(n * 1.5);\n',
        ),
      ],
      [edit("src/index.js", "export { log }", 'export { gift } from "./gift.js";\nexport { log }')],
      [
        write(
          "test/gift.test.js",
          'import test from "node:test";\nimport assert from "node:assert";\nimport { gift } from "../src/gift.js";\n\ntest("gift", () => assert.equal(gift(2), 3));\n',
        ),
      ],
      [bash("node --test test/gift.test.js")],
      [todo(["Write gift.js", "done"], ["Test it", "done"], ["Docs", "active"])],
      [bash("npm run check && npm run build"), bash("ls -la dist | head -20")],
      [read("README.md")],
      [edit("README.md", "see src/", "see src/; `gift` wraps")],
      [TEST, bash("git status --short")],
      [bash(`node -e "import('./src/index.js').then(m => console.log(Object.keys(m)))"`)],
      [todo(["Write gift.js", "done"], ["Test it", "done"], ["Docs", "done"])],
    ],
  },
  {
    name: "rename across the project",
    turns: [
      [grep("round", "src"), bash("grep -rl 'round' src test | wc -l")],
      [read("src/util.js"), read("src/tax.js"), read("src/cart.js")],
      [
        bash("sed -i 's/\\bround\\b/toCents/g' src/*.js && git diff --stat | tail -3", {
          description: "Rename round to toCents",
        }),
      ],
      [edit("src/util.js", "toCents = (n) => Math.toCents(", "toCents = (n) => Math.round(")],
      [TEST],
      [bash("grep -rn 'round' src | head"), bash("npm run check")],
      [bash("git diff | head -60"), bash("node --test 2>&1 | grep -E '^# (pass|fail)'")],
      [read("docs/guide.md"), grep("round", "docs")],
    ],
  },
  {
    name: "a new dependency",
    turns: [
      [read("package.json"), bash("ls vendor; cat vendor/pad/package.json"), bash("node --version && npm --version")],
      [bash("npm install ./vendor/pad --offline --no-audit --no-fund 2>&1 | tail -5", { timeout_ms: 120_000 })],
      [bash("git status --short; ls node_modules"), read("package.json")],
      [bash("npm view left-pad version", { network: ["packages.example.com:443"] })],
      [read("src/report.js"), grep("report", "src")],
      [
        edit(
          "src/report.js",
          'import { round } from "./util.js";',
          'import pad from "pad";\nimport { round } from "./util.js";',
        ),
      ],
      [edit("src/report.js", "  return round(sum);", "  return pad(round(sum), 8);")],
      [bash("node --test test/report.test.js 2>&1 | tail -15")],
      [read("test/report.test.js")],
      [edit("test/report.test.js", ", 1.01)", ', "    1.01")')],
      [bash("node --test test/report.test.js"), TEST],
      [bash("npm ls"), bash("git diff --stat")],
    ],
  },
  {
    name: "tidy docs, delete what is old",
    turns: [
      [glob("docs/**"), bash("git log --stat --oneline | head -20")],
      [read("docs/old-api.md"), read("docs/guide.md"), read("README.md"), grep("old-api")],
      [del("docs/old-api.md")],
      [edit("docs/guide.md", "Call `price(items)`.", "Call `price(items)`; items have an `amount`.")],
      [edit("README.md", "see src/", "`src/` has one module for each part of an order.")],
      [edit("README.md", "# Shop\n", "# Shop\n\nSee docs/guide.md.\n")],
      [bash("cat README.md docs/guide.md | wc -w"), bash("git diff --stat")],
      [read("CHANGELOG.md")],
      [edit("CHANGELOG.md", "- First", "- First\n- Docs")],
      [TEST, bash("git status --short")],
    ],
  },
  {
    name: "the same check in five modules",
    turns: [
      [
        grep("let sum", "src"),
        read("src/cart.js"),
        read("src/tax.js"),
        read("src/ship.js"),
        read("src/order.js"),
        read("src/mail.js"),
      ],
      [bash("node --test 2>&1 | tail -9")],
      ["cart", "tax", "ship", "order", "mail"].map((m) =>
        edit(`src/${m}.js`, SUM, `  if (!Array.isArray(items)) throw new TypeError("no items");\n${SUM}`),
      ),
      [TEST],
      [
        bash(
          "for m in cart tax ship order mail; do node -e \"import('./src/$m.js').then(x => x.$m(1)).catch(e => console.log(e.message))\"; done",
        ),
      ],
      [bash("npm run check"), bash("git diff --stat")],
      [read("test/cart.test.js")],
      [
        edit(
          "test/cart.test.js",
          'test("cart"',
          'test("no items", () => assert.throws(() => cart(1), TypeError));\ntest("cart"',
        ),
      ],
      [bash("node --test test/cart.test.js"), TEST],
    ],
  },
];
