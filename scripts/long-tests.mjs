/**
 * Test files that `npm test` leaves to `npm run deep`, beside the `*.deep.test.ts`: each takes long, and others of the normal run cover
 * what they cover. The list is there to get shorter: a file that is made quick leaves it.
 */
export const LONG_TESTS = [
  "test/property/sandbox.test.ts",
  "test/property/rules-fuzz.test.ts",
  "test/property/tools.test.ts",
  "test/fault/events-disk.test.ts",
  "test/unit/loop/going-round.test.ts",
  "test/fault/kill-every-event.test.ts",
  "test/fault/streams.test.ts",
  "test/fault/obeying-model.test.ts",
  "test/fault/sandbox.test.ts",
  "test/unit/loop/background.test.ts",
  "test/unit/loop/leaving.test.ts",
  "test/unit/session/rehearse.test.ts",
  "test/unit/session/rehearse-conflict.test.ts",
  "test/unit/session/stored.test.ts",
  "test/unit/workspace/fifo.test.ts",
  "test/unit/evals/runs.test.ts",
  "test/e2e/real-input.test.ts",
  "test/e2e/sessions-cli.test.ts",
  "test/e2e/exit-codes.test.ts",
  "test/e2e/trust-screen.test.ts",
  "test/e2e/ui-tmux.test.ts",
  "test/e2e/sessions-screen.test.ts",
  "test/corpus/runner.test.ts",
  "test/field/api-streams.test.ts",
  "test/field/api-history.test.ts",
  "test/field/tui.test.ts",
];
