import type { NetHost } from "./net-host.ts";

type Env = Readonly<Record<string, string | undefined>>;

const HERE = ["localhost", "127.0.0.1", "::1"];

/**
 * What makes programs use the proxy on the copy's port. The copy's own servers are reached without it, but for a name of this machine that
 * the call names: that one is meant. Tools whose files may name another proxy get it by their own variable as well.
 */
export function proxyEnv(port: number, hosts: readonly NetHost[]): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const direct = HERE.filter((name) => !hosts.some((h) => h.host === name)).join(",");
  const both = (name: string, value: string): [string, string][] => [
    [name, value],
    [name.toUpperCase(), value],
  ];
  return {
    ...Object.fromEntries([
      ...["http_proxy", "https_proxy", "all_proxy"].flatMap((name) => both(name, url)),
      ...both("no_proxy", direct),
    ]),
    NODE_USE_ENV_PROXY: "1",
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: direct,
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    PIP_PROXY: url,
    CARGO_HTTP_PROXY: url,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.proxy",
    GIT_CONFIG_VALUE_0: url,
  };
}

const PROXY = /^(https?|all|ftp)_proxy$/i;

/** The person's environment with the passwords taken out of their proxies' addresses: with the whole network these enter the copy. */
export function withoutPasswords(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value !== undefined && PROXY.test(name) ? value.replace(/^([a-z0-9+.-]+:\/\/)?.*@/is, "$1") : value,
    ]),
  );
}
