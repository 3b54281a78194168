import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const MODULES = ["cart", "price", "stock", "order", "user", "mail", "tax", "ship", "coupon", "report", "search", "log"];

/** A small shop in JavaScript: twelve modules with a test each, scripts to test, check and build, a history, a side branch. */
export function makeRepo(folder: string, home: string): void {
  for (const [name, content] of Object.entries(files())) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const script = `
    git init -q -b main . && git config user.email dev@shop.invalid && git config user.name Dev
    git add -A && git commit -qm "Shop"
    git checkout -qb discount && printf '\\nexport const half = (n) => n / 2;\\n' >> src/price.js
    git commit -qam "Half price" && git checkout -q main
    printf '\\n- Ship faster\\n' >> CHANGELOG.md && git commit -qam "Note"`;
  execFileSync("bash", ["-euc", script], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: home },
    // A pipe as input: bash would take it for a remote login and read the machine's own start-up files.
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function files(): Record<string, string> {
  const modules = MODULES.flatMap((name): [string, string][] => [
    [
      `src/${name}.js`,
      `import { round } from "./util.js";\n\n/** ${name} of an order. */\nexport function ${name}(items) {\n  let sum = 0;\n  for (const item of items) sum += item.amount ?? 0;\n  return round(sum);\n}\n`,
    ],
    [
      `test/${name}.test.js`,
      `import test from "node:test";\nimport assert from "node:assert";\nimport { ${name} } from "../src/${name}.js";\n\ntest("${name}", () => assert.equal(${name}([{ amount: 1.005 }, {}]), 1.01));\n`,
    ],
  ]);
  const scripts = {
    test: "node --test",
    check: "node scripts/check.mjs",
    build: "node scripts/build.mjs",
  };
  return {
    "package.json": `${JSON.stringify({ name: "shop", version: "1.2.0", type: "module", scripts }, null, 2)}\n`,
    "README.md": "# Shop\n\nRun `npm test`.\n\n## Modules\n\nsee src/\n",
    "CHANGELOG.md": "# Changes\n\n- First\n",
    ".gitignore": "node_modules/\ndist/\ncoverage/\n*.log\n",
    "src/util.js": "export const round = (n) => Math.round((n + Number.EPSILON) * 100) / 100;\n",
    "src/index.js": `${MODULES.map((m) => `export { ${m} } from "./${m}.js";`).join("\n")}\n`,
    "src/server.js":
      'import { createServer } from "node:http";\nimport { price } from "./price.js";\n\nconst port = Number(process.env.PORT ?? 4173);\ncreateServer((_, res) => res.end(String(price([{ amount: 2 }])))).listen(port, () => console.log("ready"));\n',
    "scripts/check.mjs":
      'import { readFileSync, readdirSync } from "node:fs";\nfor (const f of readdirSync("src")) if (readFileSync(`src/${f}`, "utf8").includes("\\t")) { console.error(`tab in ${f}`); process.exit(1); }\nconsole.log("ok");\n',
    "scripts/build.mjs":
      'import { mkdirSync, cpSync } from "node:fs";\nmkdirSync("dist", { recursive: true });\ncpSync("src", "dist", { recursive: true });\nconsole.log("built");\n',
    "docs/old-api.md": "# Old API\n\nNobody uses it.\n",
    "docs/guide.md": "# Guide\n\nCall `price(items)`.\n",
    "vendor/pad/package.json": '{ "name": "pad", "version": "1.0.0", "main": "index.js" }\n',
    "vendor/pad/index.js": "module.exports = (s, n) => String(s).padStart(n);\n",
    "data/prices.csv": "item,amount\napple,1.20\npear,0.80\n",
    ...Object.fromEntries(modules),
  };
}
