// `npm run corpus -- FILE... [--area A] [--id I]`: runs the cases of corpus files against the program (docs/corpus.md).
import { main } from "../test/corpus/main.ts";
import { build } from "./build.mjs";

process.exitCode = await main(process.argv.slice(2), build);
