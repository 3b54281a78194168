/** A form of key that is one beyond doubt. */
export interface KeyKind {
  /** For tests and documentation. */
  name: string;
  /** How it, or its label, begins; looked for first. */
  starts: readonly string[];
  /** Sticky. A key behind a label is its first group, which ends the match. */
  form: RegExp;
  /** Its beginning is letters alone, which base64 has too: it must stand apart from that. */
  plain: boolean;
  /** What follows the label while the key is not whole yet. */
  rest?: RegExp;
}

/** Letters of tokens with - and _ in them; nothing of these may follow. */
const W = "A-Za-z0-9_-";

function token(name: string, starts: string, form: string, end = `(?![${W}])`): KeyKind {
  return { name, starts: starts.split(" "), form: new RegExp(form + end, "y"), plain: false };
}

function plain(name: string, starts: string, form: string): KeyKind {
  return { ...token(name, starts, form, "(?![A-Za-z0-9+/_=-])"), plain: true };
}

/** `value` behind one of the labels and a sign that gives it. */
function labelled(name: string, starts: string, value: string): KeyKind {
  const labels = starts.split(" ");
  const between = `["']?\\s{0,8}(?:=>|[:=])\\s{0,8}["']?`;
  const either = labels.map((label) => label.replace(/=$/, "")).join("|");
  return {
    name,
    starts: labels,
    form: new RegExp(`(?:${either})${between}(${value})(?![A-Za-z0-9+/=])`, "y"),
    plain: false,
    rest: /^["']?\s{0,8}(?:=>?|:)?\s{0,8}["']?[A-Za-z0-9+/=]{0,100}$/,
  };
}

/**
 * Keys and tokens by the forms that their makers publish. Left out is whatever ordinary text can look like: JWTs (as often a
 * fixture, or long expired), passwords, hexadecimal keys without a prefix, ids that are public.
 */
export const KINDS: readonly KeyKind[] = [
  token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_[A-Za-z0-9]{36,255}"),
  token("GitHub fine-grained token", "github_pat_", "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
  token(
    "GitLab token",
    "glpat- gldt- glrt- glptt- glsoat- glcbt- glft- glimt- glagent- gloas-",
    `gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent|oas)-[${W}]{20,300}(?:\\.[0-9a-z]{2}[0-9a-z]{7})?`,
  ),
  plain("AWS access key id", "AKIA ASIA ABIA ACCA", "A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}"),
  labelled(
    "AWS secret access key",
    "aws_secret_access_key AWS_SECRET_ACCESS_KEY SecretAccessKey secretAccessKey secret_access_key SECRET_ACCESS_KEY",
    "[A-Za-z0-9+/]{40}",
  ),
  plain("Bedrock API key", "ABSK", "ABSK[A-Za-z0-9+/]{100,280}={0,2}"),
  plain("Google API key", "AIza", "AIza[A-Za-z0-9_-]{35}"),
  token("Google client secret", "GOCSPX-", `GOCSPX-[${W}]{28}`),
  token("Google access token", "ya29.", `ya29\\.[.${W}]{40,1000}`),
  token("Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe.", "xox[bpares][-.](?:xox[bp]-)?[A-Za-z0-9-]{20,300}"),
  token("Slack app token", "xapp-", "xapp-\\d-[A-Z0-9]{9,14}-\\d{9,16}-[a-f0-9]{40,80}"),
  token(
    "Slack webhook",
    "https://hooks.slack.com/",
    "https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{40,90}",
  ),
  token("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,250}"),
  token("Webhook signing secret", "whsec_", "whsec_[A-Za-z0-9+/]{32,100}={0,2}"),
  token("Anthropic key", "sk-ant-", `sk-ant-[${W}]{20,300}`),
  token("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", `sk-(?:proj|svcacct|admin|None)-[${W}]{20,300}`),
  token("OpenAI user key", "sk-", "sk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48})"),
  token("OpenRouter key", "sk-or-v1-", "sk-or-v1-[0-9a-f]{64}"),
  token("npm token", "npm_", "npm_[A-Za-z0-9]{36}"),
  token("PyPI token", "pypi-AgE", `pypi-AgE[${W}]{50,400}`),
  token("RubyGems key", "rubygems_", "rubygems_[0-9a-f]{48}"),
  labelled("Azure storage key", "AccountKey=", "[A-Za-z0-9+/]{86}=="),
  labelled("Azure shared access key", "SharedAccessKey=", "[A-Za-z0-9+/]{43}="),
  plain("Twilio key", "SK", "SK[0-9a-f]{32}"),
  token("SendGrid key", "SG.", `SG\\.[${W}]{22}\\.[${W}]{43}`),
  token("Mailgun key", "key-", "key-[0-9a-f]{32}"),
  token("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "do[opr]_v1_[a-f0-9]{64}"),
  token("Hugging Face token", "hf_", "hf_[A-Za-z0-9]{34,40}"),
  token("Shopify token", "shpat_ shpca_ shppa_ shpss_", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  token("HashiCorp Vault token", "hvs. hvb. hvr.", `hv[sbr]\\.[${W}]{24,300}`),
  token("Databricks token", "dapi", "dapi[a-f0-9]{32}(?:-\\d)?"),
  token("Linear key", "lin_api_", "lin_api_[A-Za-z0-9]{40}"),
  token("Notion token", "ntn_", "ntn_[A-Za-z0-9]{40,60}"),
  token("Figma token", "figd_", `figd_[${W}]{40,60}`),
  token("Grafana token", "glsa_", "glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}"),
  token("New Relic key", "NRAK-", "NRAK-[A-Z0-9]{27}"),
  token("Postman key", "PMAK-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
  token("Pulumi token", "pul-", "pul-[0-9a-f]{40}"),
  token("Sentry token", "sntrys_ sntryu_", "sntry[su]_[A-Za-z0-9_=+/]{60,400}"),
  token("Supabase token", "sbp_", "sbp_[0-9a-f]{40}"),
  token("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", `pscale_(?:tkn|pw|oauth)_[.=${W}]{32,64}`),
  token("Docker Hub token", "dckr_pat_ dckr_oat_", `dckr_[po]at_[${W}]{27,40}`),
  token("Groq key", "gsk_", "gsk_[A-Za-z0-9]{52}"),
  token("xAI key", "xai-", "xai-[A-Za-z0-9]{80}"),
  token("Replicate token", "r8_", "r8_[A-Za-z0-9]{37}"),
  token("Perplexity key", "pplx-", "pplx-[A-Za-z0-9]{48}"),
  token("Doppler token", "dp.pt. dp.st. dp.ct.", "dp\\.[psc]t\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}"),
  token("Atlassian token", "ATATT3", `ATATT3[=${W}]{100,250}`),
  plain("Artifactory key", "AKCp", "AKCp[A-Za-z0-9]{69}"),
  token("Netlify token", "nfp_", "nfp_[A-Za-z0-9]{36}"),
  token("Heroku key", "HRKU-", `HRKU-[${W}]{36,70}`),
  token("Square token", "sq0atp- sq0csp-", `sq0(?:atp|csp)-[${W}]{22,43}`),
  token("age key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
];

/** The prefix of a token, which a bare look at its letters leaves out. */
const HEAD =
  /^(?:sk-ant-(?:[a-z]{3,5}\d\d-)?|[A-Za-z0-9]{1,8}[-_.](?:live_|test_|v1[_-]|pat_|api_|proj-|svcacct-|admin-)?)/;

/** What stands in documents in the place of a key, and is none: `ghp_xxxxxxxx…`, `sk-ant-your-key-goes-here…`. */
export function isStandIn(value: string): boolean {
  const body = value.replace(HEAD, "");
  return new Set(body).size < 4 || !/[0-9A-Z]/.test(body);
}
