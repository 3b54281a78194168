import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generated, LAYOUTS } from "./big-tree.ts";
import { mainJob, openJob } from "./main-job.ts";

// Started as an ordinary user: the main job in every layout, each report one line of JSON.
for (const layout of LAYOUTS) {
  const base = mkdtempSync(join(realpathSync(tmpdir()), "job-"));
  const job = await openJob(base, layout, (dir) => generated(dir, 2, 20));
  const report = await mainJob(job, "oldName", `${job.pkg}/src`);
  await job.rig.session.close();
  console.log(JSON.stringify({ layout, ...report }));
}
