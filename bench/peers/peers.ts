import type { Place, Program } from "./program.ts";

const KEY = "bench-key-of-no-worth-0123456789abcdef";
const ANTHROPIC = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "@url@" };
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Programs of others. Each speaks its own protocol with the same server; what reports or updates is switched off where it can be. */
export const PEERS: readonly Program[] = [
  {
    name: "claude-code",
    install: { packageName: "@anthropic-ai/claude-code", version: "2.1.332" },
    command: [".bin/claude"],
    env: {
      ...ANTHROPIC,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    },
    files: ({ folder }: Place) => ({
      ".claude.json": json({
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
        projects: { [folder]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    }),
    print: (prompt) => ["-p", prompt],
    screen: [],
    tool: "Read",
    template: '{"file_path":"@path@"}',
  },
  {
    name: "codex",
    install: { packageName: "@openai/codex", version: "0.171.0" },
    command: [".bin/codex"],
    env: { BENCH_KEY: KEY },
    files: ({ folder, url }: Place) => ({
      ".codex/config.toml": [
        'model = "gpt-5-codex"',
        'model_provider = "bench"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[otel]",
        'exporter = "none"',
        "[model_providers.bench]",
        'name = "bench"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "BENCH_KEY"',
        `[projects."${folder}"]`,
        'trust_level = "trusted"',
        "",
      ].join("\n"),
    }),
    print: (prompt) => ["exec", "--skip-git-repo-check", prompt],
    screen: [],
    tool: "exec_command",
    template: '{"cmd":"cat @path@"}',
  },
  {
    name: "gemini-cli",
    install: { packageName: "@google/gemini-cli", version: "0.61.0" },
    command: ["node", ".bin/gemini"],
    env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: "@url@", GEMINI_TELEMETRY_ENABLED: "false" },
    files: ({ folder }: Place) => ({
      ".gemini/settings.json": json({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
      ".gemini/trustedFolders.json": json({ [folder]: "TRUST_FOLDER" }),
    }),
    print: (prompt) => ["-m", "gemini-2.5-pro", "-p", prompt],
    screen: ["-m", "gemini-2.5-pro"],
    tool: "read_file",
    template: '{"file_path":"@path@"}',
  },
  {
    name: "opencode",
    install: { packageName: "opencode-ai", version: "1.18.33" },
    command: [".bin/opencode"],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
    files: ({ url }: Place) => ({
      ".config/opencode/opencode.json": json({
        autoupdate: false,
        share: "disabled",
        model: "bench/bench",
        provider: {
          bench: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: { bench: { name: "bench", tool_call: true, limit: { context: 200_000, output: 8000 } } },
          },
        },
      }),
    }),
    print: (prompt) => ["run", prompt],
    screen: [],
    tool: "read",
    template: '{"filePath":"@path@"}',
  },
  {
    name: "pi",
    install: { packageName: "@earendil-works/pi-coding-agent", version: "1.6.0" },
    command: ["node", ".bin/pi"],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    files: ({ url }: Place) => ({
      ".pi/agent/models.json": json({
        providers: {
          bench: {
            baseUrl: url,
            api: "anthropic-messages",
            apiKey: KEY,
            models: [{ id: "bench", contextWindow: 200_000, maxTokens: 8000 }],
          },
        },
      }),
    }),
    print: (prompt) => ["--model", "bench/bench", "-p", prompt],
    screen: ["--model", "bench/bench"],
    tool: "read",
    template: '{"path":"@path@"}',
  },
  {
    name: "qwen-code",
    install: { packageName: "@qwen-code/qwen-code", version: "0.24.4" },
    command: ["node", ".bin/qwen"],
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: "@url@/v1", OPENAI_MODEL: "bench" },
    files: () => ({
      ".qwen/settings.json": json({
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    }),
    print: (prompt) => ["--auth-type", "openai", "-p", prompt],
    screen: ["--auth-type", "openai"],
    tool: "read_file",
    template: '{"file_path":"@path@"}',
  },
  {
    name: "nanocoder",
    install: { packageName: "@nanocollective/nanocoder", version: "1.30.0" },
    command: ["node", ".bin/nanocoder"],
    env: { NANOCODER_TRUST_DIRECTORY: "1" },
    files: ({ url, folder }: Place) => ({
      ".config/nanocoder/agents.config.json": json({
        nanocoder: { providers: [{ name: "bench", baseUrl: `${url}/v1`, apiKey: KEY, models: ["bench"] }] },
      }),
      ".config/nanocoder/nanocoder-preferences.json": json({
        trustedDirectories: [folder],
        lastProvider: "bench",
        lastModel: "bench",
      }),
    }),
    print: (prompt) => ["--provider", "bench", "--model", "bench", "--plain", "run", prompt],
    screen: ["--provider", "bench", "--model", "bench"],
    tool: "read_file",
    template: '{"path":"@path@"}',
  },
];
