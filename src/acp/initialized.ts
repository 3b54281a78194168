import type { InitializeResponse } from "@agentclientprotocol/sdk";

/** What this program says of itself to an editor. Sound is not among it, nor the old transport of tool servers. */
export function initialized(protocolVersion: number, version: string): InitializeResponse {
  return {
    protocolVersion,
    agentInfo: { name: "understudy", title: "Understudy", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true, audio: false },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
    },
    authMethods: [
      {
        id: "key",
        name: "API key",
        description:
          "Run `agent key set` in a terminal, or set ANTHROPIC_API_KEY in the editor's settings of this agent; then begin a new session.",
      },
    ],
  };
}
