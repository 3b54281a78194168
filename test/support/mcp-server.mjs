// A tool server whose ways are chosen by its environment (JSON in WAYS); speaks the protocol by hand, so that it can break it.
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";

const ways = JSON.parse(process.env.WAYS ?? "{}");
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ping = { name: "ping", description: "Answers.", inputSchema: { type: "object", properties: {} } };
let tools = ways.tools ?? [ping];
let asked = 0;
const waiting = new Map();
if (ways.pidFile) writeFileSync(ways.pidFile, String(process.pid));
if (ways.stderr) process.stderr.write(`${ways.stderr}\n`);
if (ways.noise) console.log("warming up {not json");
if (ways.endAtStart !== undefined) process.exit(ways.endAtStart);
if (ways.deaf) process.on("SIGTERM", () => undefined);
if (ways.deaf) setInterval(() => undefined, 1000);

function flood(what) {
  const line =
    what === "noise"
      ? "x".repeat(1 << 20)
      : JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
  const go = () => {
    while (process.stdout.write(`${line}\n`));
    process.stdout.once("drain", go);
  };
  go();
}

async function call({ id, params }) {
  const { name, arguments: input = {}, _meta } = params;
  if (ways.die !== undefined) process.exit(ways.die);
  if (ways.noise) console.log("calling");
  if (ways.flood) return flood(ways.flood);
  if (ways.longLine) return process.stdout.write("y".repeat(ways.longLine));
  if (ways.hangCall) return undefined;
  if (ways.progress) {
    for (let n = 1; n <= 3; n++) {
      const told = { progressToken: _meta?.progressToken, progress: n, total: 3, message: `part ${n}` };
      send({ method: "notifications/progress", params: told });
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (ways.ask) {
    const answer = await request("elicitation/create", ways.ask);
    return send({ id, result: { content: [{ type: "text", text: `told: ${JSON.stringify(answer)}` }] } });
  }
  if (ways.sample) {
    const answer = await request("sampling/createMessage", ways.sample);
    return send({ id, result: { content: [{ type: "text", text: `sampled: ${JSON.stringify(answer)}` }] } });
  }
  if (ways.become && name === "become") {
    tools = ways.become;
    send({ method: "notifications/tools/list_changed" });
  }
  if (ways.refuse) return send({ id, error: { code: -32602, message: ways.refuse } });
  if (ways.result) return send({ id, result: ways.result });
  if (ways.big) return send({ id, result: { content: [{ type: "text", text: `${"x".repeat(ways.big)}END` }] } });
  const said = ways.env
    ? (process.env[ways.env] ?? "(not set)")
    : ways.wholeEnv
      ? JSON.stringify(process.env)
      : `${name}:${JSON.stringify(input)}`;
  send({ id, result: { content: [{ type: "text", text: `${ways.tag ?? "t"}:${said}` }] } });
}

function request(method, params) {
  const id = `s${++asked}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const capabilities = {
  tools: { listChanged: true },
  ...(ways.resources ? { resources: {} } : {}),
  ...(ways.prompts ? { prompts: {} } : {}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (method === undefined) {
    waiting.get(id)?.(message.result ?? message.error);
    return;
  }
  if (ways.hang) return;
  if (method === "notifications/cancelled" && ways.cancelFile) writeFileSync(ways.cancelFile, "cancelled");
  if (method === "initialize" && ways.refuseStart) send({ id, error: { code: -32000, message: ways.refuseStart } });
  else if (method === "initialize")
    send({
      id,
      result: { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "t", version: "1" } },
    });
  else if (method === "tools/list") {
    const size = ways.page ?? tools.length;
    const from = Number(params?.cursor ?? 0);
    const next = ways.endless ? String(from + 1) : from + size < tools.length ? String(from + size) : undefined;
    send({
      id,
      result: {
        tools: ways.endless ? tools : tools.slice(from, from + size),
        ...(next === undefined ? {} : { nextCursor: next }),
      },
    });
  } else if (method === "tools/call") void call(message);
  else if (method === "resources/list") send({ id, result: { resources: ways.resources ?? [] } });
  else if (method === "resources/read")
    send({ id, result: { contents: [{ uri: params.uri, text: `contents of ${params.uri}` }] } });
  else if (method === "prompts/list") send({ id, result: { prompts: ways.prompts ?? [] } });
  else if (method === "prompts/get")
    send({
      id,
      result: {
        messages: [
          {
            role: "user",
            content: { type: "text", text: ways.promptText ?? `${params.name} of ${JSON.stringify(params.arguments)}` },
          },
        ],
      },
    });
  else if (id !== undefined) send({ id, result: {} });
});
