//! Forms of secrets that the public rules lack, or know in fewer lengths.

use super::shape::{Shape, Vendor};

/// The form itself is telling: less is asked of what stands in it than the public rules do.
const ENTROPY_TENTHS: u32 = 22;

const fn shape(kind: &'static str, keyword: &'static str, pattern: &'static str) -> Shape {
    Shape { kind, entropy_tenths: ENTROPY_TENTHS, keyword, back: 0, at_word: true, pattern }
}

const fn behind(kind: &'static str, keyword: &'static str, back: usize, pattern: &'static str) -> Shape {
    Shape { kind, entropy_tenths: ENTROPY_TENTHS, keyword, back, at_word: true, pattern }
}

/// One that needs no word's beginning before it.
const fn inside(kind: &'static str, keyword: &'static str, pattern: &'static str) -> Shape {
    Shape { kind, entropy_tenths: ENTROPY_TENTHS, keyword, back: 0, at_word: false, pattern }
}

const TWILIO: &str = "SK[0-9a-f]{32}";

/// What is known by its own form; those with one keyword stand together.
#[rustfmt::skip]
pub(super) static SHAPES: [Shape; 119] = [
    shape("anthropic-api-key", "sk-ant-", r"sk\-ant\-[\-0-9A-Z_a-z]{20,1024}"),
    shape("openrouter-api-key", "sk-or-", r"sk\-or\-v1\-[0-9a-f]{48,64}"),
    shape("openai-api-key", "sk-proj-", r"sk\-proj\-[\-0-9A-Z_a-z]{20,1024}"),
    shape("openai-api-key", "sk-svcacct-", r"sk\-svcacct\-[\-0-9A-Z_a-z]{20,1024}"),
    shape("openai-api-key", "sk-admin-", r"sk\-admin\-[\-0-9A-Z_a-z]{20,1024}"),
    shape("api-key", "sk-", r"sk\-[0-9A-Za-z]{20,1024}"),
    shape("langsmith-api-key", "lsv2_", "lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{10}"),
    shape("langfuse-secret-key", "sk-lf-", r"sk\-lf\-[\-0-9a-f]{36}"),
    shape("groq-api-key", "gsk_", "gsk_[0-9A-Za-z]{40,1024}"),
    shape("xai-api-key", "xai-", r"xai\-[0-9A-Za-z]{40,1024}"),
    shape("replicate-api-token", "r8_", "r8_[0-9A-Za-z]{37,1024}"),
    shape("huggingface-access-token", "hf_", "hf_[0-9A-Za-z]{30,1024}"),
    shape("nvidia-api-key", "nvapi-", r"nvapi\-[\-0-9A-Z_a-z]{40,1024}"),
    shape("fireworks-api-key", "fw_", "fw_[0-9A-Za-z]{22,64}"),
    shape("tavily-api-key", "tvly-", r"tvly\-[\-0-9A-Za-z]{24,1024}"),
    shape("firecrawl-api-key", "fc-", r"fc\-[0-9a-f]{32}"),
    shape("jina-api-key", "jina_", "jina_[\\-0-9A-Z_a-z]{40,1024}"),
    shape("e2b-api-key", "e2b_", "e2b_[0-9a-f]{40}"),
    shape("runpod-api-key", "rpa_", "rpa_[0-9A-Z]{32,1024}"),
    shape("github-pat", "ghp_", "ghp_[0-9A-Za-z]{30,1024}"),
    shape("github-oauth", "gho_", "gho_[0-9A-Za-z]{30,1024}"),
    shape("github-app-token", "ghs_", "ghs_[0-9A-Za-z]{30,1024}"),
    shape("github-app-token", "ghu_", "ghu_[0-9A-Za-z]{30,1024}"),
    shape("github-refresh-token", "ghr_", "ghr_[0-9A-Za-z]{30,1024}"),
    shape("github-fine-grained-pat", "github_pat_", "github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{40,1024}"),
    shape("gitlab-pat", "glpat-", r"glpat\-[\-0-9A-Z_a-z]{16,1024}"),
    shape("gitlab-oauth-app-secret", "gloas-", r"gloas\-[0-9a-f]{40,1024}"),
    shape("bitbucket-app-password", "atbb", "ATBB[0-9A-Za-z]{24,1024}"),
    shape("atlassian-api-token", "atatt3", r"ATATT3[\-0-9=A-Z_a-z]{60,1024}"),
    shape("atlassian-access-token", "atctt3", r"ATCTT3[\-0-9=A-Z_a-z]{60,1024}"),
    shape("aws-access-token", "akia", "AKIA[0-9A-Z]{16}"),
    shape("aws-access-token", "asia", "ASIA[0-9A-Z]{16}"),
    shape("aws-bedrock-api-key", "bedrock-api-key-", r"bedrock\-api\-key\-[+/-9=A-Za-z]{20,1024}"),
    shape("gcp-api-key", "aiza", r"AIza[\-0-9A-Z_a-z]{30,1024}"),
    shape("google-oauth-token", "ya29.", r"ya29.[\-.0-9A-Z_a-z]{20,1024}"),
    shape("google-client-secret", "gocspx-", r"GOCSPX\-[\-0-9A-Z_a-z]{20,1024}"),
    shape("google-refresh-token", "1//0", r"1//0[0-9a-z][\-0-9A-Z_a-z]{30,1024}"),
    behind("azure-ad-client-secret", "0q~", 3, r"[\-.0-9A-Z_a-z~]{3}0Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "1q~", 3, r"[\-.0-9A-Z_a-z~]{3}1Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "2q~", 3, r"[\-.0-9A-Z_a-z~]{3}2Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "3q~", 3, r"[\-.0-9A-Z_a-z~]{3}3Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "4q~", 3, r"[\-.0-9A-Z_a-z~]{3}4Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "5q~", 3, r"[\-.0-9A-Z_a-z~]{3}5Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "6q~", 3, r"[\-.0-9A-Z_a-z~]{3}6Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "7q~", 3, r"[\-.0-9A-Z_a-z~]{3}7Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "8q~", 3, r"[\-.0-9A-Z_a-z~]{3}8Q~[\-.0-9A-Z_a-z~]{31,37}"),
    behind("azure-ad-client-secret", "9q~", 3, r"[\-.0-9A-Z_a-z~]{3}9Q~[\-.0-9A-Z_a-z~]{31,37}"),
    // Keys of Azure's storage, search, maps and events carry a mark of their own.
    behind("azure-storage-key", "+ast", 76, "[+/-9A-Za-z]{76}[+]ASt[0-9A-Za-z]{6}=="),
    behind("azure-service-key", "azse", 42, "[0-9A-Za-z]{42}AzSe[A-D][0-9A-Za-z]{5}"),
    behind("telegram-bot-api-token", ":aa", 10, r"[0-9]{10}:AA[\-0-9A-Z_a-z]{33}"),
    behind("telegram-bot-api-token", ":aa", 9, r"[0-9]{9}:AA[\-0-9A-Z_a-z]{33}"),
    behind("telegram-bot-api-token", ":aa", 8, r"[0-9]{8}:AA[\-0-9A-Z_a-z]{33}"),
    inside("telegram-bot-api-token", "/bot", r"/bot[0-9]{8,10}:AA[\-0-9A-Z_a-z]{33}"),
    shape("slack-token", "xoxb-", r"xoxb\-[\-0-9A-Za-z]{16,1024}"),
    shape("slack-token", "xoxp-", r"xoxp\-[\-0-9A-Za-z]{16,1024}"),
    shape("slack-token", "xoxa-", r"xoxa\-[\-0-9A-Za-z]{16,1024}"),
    shape("slack-token", "xoxr-", r"xoxr\-[\-0-9A-Za-z]{16,1024}"),
    shape("slack-token", "xoxs-", r"xoxs\-[\-0-9A-Za-z]{16,1024}"),
    shape("slack-token", "xoxc-", r"xoxc\-[\-0-9A-Za-z]{16,1024}"),
    shape("slack-cookie", "xoxd-", r"xoxd\-[%+\-/0-9=A-Z_a-z]{16,1024}"),
    inside("discord-webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{16,20}/[\-0-9A-Z_a-z]{40,100}"),
    shape("npm-access-token", "npm_", "npm_[0-9A-Za-z]{30,1024}"),
    shape("pypi-upload-token", "pypi-ag", r"pypi\-Ag[\-0-9A-Z_a-z]{40,1024}"),
    shape("crates-io-token", "cio", "cio[0-9A-Za-z]{32}"),
    shape("nuget-api-key", "oy2", "oy2[0-9a-z]{43}"),
    shape("docker-pat", "dckr_pat_", r"dckr_pat_[\-0-9A-Z_a-z]{24,1024}"),
    shape("docker-oat", "dckr_oat_", r"dckr_oat_[\-0-9A-Z_a-z]{24,1024}"),
    shape("doppler-token", "dp.st.", r"dp.st.[\-.0-9A-Z_a-z]{40,1024}"),
    shape("doppler-token", "dp.ct.", r"dp.ct.[0-9A-Za-z]{40,1024}"),
    shape("stripe-access-token", "sk_live_", "sk_live_[0-9A-Za-z]{16,1024}"),
    shape("stripe-access-token", "sk_test_", "sk_test_[0-9A-Za-z]{16,1024}"),
    shape("stripe-access-token", "rk_live_", "rk_live_[0-9A-Za-z]{16,1024}"),
    shape("stripe-access-token", "rk_test_", "rk_test_[0-9A-Za-z]{16,1024}"),
    shape("stripe-webhook-secret", "whsec_", "whsec_[+/-9A-Za-z]{24,1024}={0,2}"),
    shape("sendgrid-api-token", "sg.", r"SG.[\-0-9A-Z_a-z]{16,32}.[\-0-9A-Z_a-z]{16,64}"),
    shape("twilio-api-key", "sk0", TWILIO),
    shape("twilio-api-key", "sk1", TWILIO),
    shape("twilio-api-key", "sk2", TWILIO),
    shape("twilio-api-key", "sk3", TWILIO),
    shape("twilio-api-key", "sk4", TWILIO),
    shape("twilio-api-key", "sk5", TWILIO),
    shape("twilio-api-key", "sk6", TWILIO),
    shape("twilio-api-key", "sk7", TWILIO),
    shape("twilio-api-key", "sk8", TWILIO),
    shape("twilio-api-key", "sk9", TWILIO),
    shape("twilio-api-key", "ska", TWILIO),
    shape("twilio-api-key", "skb", TWILIO),
    shape("twilio-api-key", "skc", TWILIO),
    shape("twilio-api-key", "skd", TWILIO),
    shape("twilio-api-key", "ske", TWILIO),
    shape("twilio-api-key", "skf", TWILIO),
    shape("supabase-token", "sbp_", "sbp_[0-9a-f]{40}"),
    shape("supabase-secret-key", "sb_secret_", r"sb_secret_[\-0-9A-Z_a-z]{20,1024}"),
    shape("netlify-access-token", "nfp_", "nfp_[0-9A-Za-z]{36}"),
    shape("render-api-key", "rnd_", "rnd_[0-9A-Za-z]{28,40}"),
    shape("neon-api-key", "napi_", "napi_[0-9a-z]{60,70}"),
    shape("buildkite-token", "bkua_", "bkua_[0-9a-f]{40}"),
    shape("circleci-token", "ccipat_", "CCIPAT_[0-9A-Za-z]{22}_[0-9a-f]{40}"),
    shape("tailscale-key", "tskey-", r"tskey\-[a-z]{3,10}\-[\-0-9A-Za-z]{20,1024}"),
    shape("vault-service-token", "hvs.", r"hvs.[\-0-9A-Z_a-z]{24,1024}"),
    shape("vault-recovery-token", "hvr.", r"hvr.[\-0-9A-Z_a-z]{24,1024}"),
    shape("figma-token", "figd_", r"figd_[\-0-9A-Z_a-z]{36,1024}"),
    shape("linear-oauth-token", "lin_oauth_", "lin_oauth_[0-9A-Za-z]{32,1024}"),
    shape("notion-api-token", "secret_", "secret_[0-9A-Za-z]{43}"),
    shape("new-relic-user-api-key", "nrak-", r"NRAK\-[0-9A-Z]{27}"),
    shape("new-relic-insert-key", "nrii-", r"NRII\-[\-0-9A-Za-z_]{32}"),
    shape("posthog-personal-key", "phx_", "phx_[0-9A-Za-z]{40,50}"),
    shape("contentful-token", "cfpat-", r"CFPAT\-[\-0-9A-Z_a-z]{40,50}"),
    shape("paypal-access-token", "access_token$", "access_token$[a-z]{4,12}$[0-9a-z]{16}$[0-9a-f]{32}"),
    shape("square-client-secret", "sq0csp-", r"sq0csp\-[\-0-9A-Z_a-z]{40,50}"),
    shape("mailgun-private-api-token", "key-", r"key\-[0-9a-f]{32}"),
    shape("sonar-api-token", "squ_", "squ_[0-9a-f]{40}"),
    shape("sonar-api-token", "sqp_", "sqp_[0-9a-f]{40}"),
    shape("sourcegraph-access-token", "sgp_", "sgp_[0-9A-Z_a-z]{40,64}"),
    behind("password-hash", "$2a$", 0, "$2a$[0-9]{2}$[./0-9A-Za-z]{53}"),
    behind("password-hash", "$2b$", 0, "$2b$[0-9]{2}$[./0-9A-Za-z]{53}"),
    behind("password-hash", "$2y$", 0, "$2y$[0-9]{2}$[./0-9A-Za-z]{53}"),
    behind("password-hash", "$argon2", 0, "$argon2[di]{1,2}$v=[0-9]{2}$m=[0-9]{1,9},t=[0-9]{1,5},p=[0-9]{1,5}$[+/-9A-Za-z]{8,128}$[+/-9A-Za-z]{16,256}"),
    behind("password-hash", "$6$", 0, "$6$[./0-9A-Za-z=$]{1,40}$[./0-9A-Za-z]{86}"),
];

/// What is known by a vendor's name before it.
pub(super) static VENDORS: [Vendor; 2] = [
    Vendor {
        kind: "discord-bot-token",
        entropy_tenths: 35,
        name: "discord",
        pattern: r"[MNO][\-0-9A-Z_a-z]{23,27}.[\-0-9A-Z_a-z]{6}.[\-0-9A-Z_a-z]{27,40}",
    },
    Vendor { kind: "twilio-auth-token", entropy_tenths: 30, name: "twilio", pattern: "[0-9a-f]{32}" },
];
