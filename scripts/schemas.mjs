// Writes the published JSON Schemas out of the code's own, into schemas/. --check: exits 1 where one is not as it would be written.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inputJsonSchema, outputJsonSchema } from "../src/print/output-schema.ts";
import { settingsJsonSchema } from "../src/session/settings-schema.ts";

const folder = fileURLToPath(new URL("../schemas/", import.meta.url));
const SCHEMAS = {
  "settings.json": ["Settings of Understudy", settingsJsonSchema],
  "stream-output.v1.json": ["A line of agent --output-format stream-json", outputJsonSchema],
  "stream-input.v1.json": ["A line of agent --input-format stream-json", inputJsonSchema],
};

function written([title, make]) {
  const { $schema, ...rest } = make();
  return `${JSON.stringify({ $schema, title, ...rest }, null, 1)}\n`;
}

function there(file) {
  try {
    return readFileSync(folder + file, "utf8");
  } catch {
    return undefined;
  }
}

const old = Object.entries(SCHEMAS).filter(([file, schema]) => there(file) !== written(schema));
if (process.argv.includes("--check")) {
  for (const [file] of old) console.error(`schemas/${file} is not what the code says: node scripts/schemas.mjs`);
  process.exitCode = old.length === 0 ? 0 : 1;
} else {
  mkdirSync(folder, { recursive: true });
  for (const [file, schema] of old) {
    writeFileSync(folder + file, written(schema));
    console.log(`wrote schemas/${file}`);
  }
}
