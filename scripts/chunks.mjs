// Which modules go into one file of dist/: what is always loaded together costs a start less as one file than as a hundred.

/** In the order in which a start loads them; each takes what its files import statically and no earlier one has. */
const PARTS = [
  ["first", ["src/cli/first-paint.ts"]],
  ["start", ["src/cli/main.ts"]],
  ["shell", ["src/cli/shell.ts"]],
  ["args", ["src/cli/args.ts"]],
  ["core", ["src/cli/wire.ts", "src/cli/run.ts"]],
  ["screen", ["src/ui/main.tsx", "src/cli/run-screen.ts"]],
];

/**
 * Names the file for a module, null where the bundler may choose. A part is closed: whatever it imports is in it or in an
 * earlier one, so no two files import each other, and nothing runs in another order than before. `root` ends with a slash.
 */
export function partOf(root) {
  let parts;
  return (id, context) => {
    parts ??= made(root, context);
    return parts.get(id) ?? null;
  };
}

function made(root, context) {
  const parts = new Map();
  for (const [name, files] of PARTS) {
    const waiting = files.map((file) => root + file);
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (parts.has(id)) continue;
      // Zod stays with who uses which of its files: `--help` needs a third of what all of us need of it.
      parts.set(id, id.includes("/node_modules/zod/") ? null : name);
      waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  return parts;
}

/**
 * Signs outside of ASCII, written as escapes: one of them makes Node decode the whole file slowly and keep it in twice the
 * memory. Behind the minifier, which writes signs. A file in which an escape could say something else stays as it is.
 */
export const asciiOnly = {
  name: "ascii-only",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk" && !/\\[^\x00-\x7f]|String\.raw`[^`]*[^\x00-\x7f]/.test(file.code))
        file.code = file.code.replaceAll(/[^\x00-\x7f]/g, escaped);
  },
};

function escaped(sign) {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
