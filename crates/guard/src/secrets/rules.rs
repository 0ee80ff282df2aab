//! The rules that are code, with what they say and the texts that prove them; and the names of all rules.

use super::{formats, named};
use crate::known;

/// A rule that is code rather than a line of a table.
pub struct SecretRule {
    pub id: &'static str,
    /// One sentence for the person whose text was stopped.
    pub why: &'static str,
    /// Texts in which it finds a value.
    pub hits: &'static [&'static str],
    /// Innocent texts that come near.
    pub misses: &'static [&'static str],
}

/// The names of all rules, of the tables too. They are the types in `[REDACTED:type]`.
pub fn rule_ids() -> impl Iterator<Item = &'static str> {
    let coded = RULES.iter().map(|rule| rule.id);
    let formats = formats::FORMATS.iter().map(|format| format.id);
    let anchored = formats::ANCHORED.iter().map(|kind| kind.id);
    let named = named::NAMED.iter().map(|kind| kind.id);
    coded.chain(formats).chain(anchored).chain(named).chain([known::RULE])
}

/// What a rule says to the person whose text was stopped.
pub fn why(id: &str) -> Option<&'static str> {
    let coded = RULES.iter().map(|rule| (rule.id, rule.why));
    let formats = formats::FORMATS.iter().map(|format| (format.id, format.why));
    let anchored = formats::ANCHORED.iter().map(|kind| (kind.id, kind.why));
    let named = named::NAMED.iter().map(|kind| (kind.id, kind.why));
    let purged = [(known::RULE, "A secret that was purged here before.")];
    coded
        .chain(formats)
        .chain(anchored)
        .chain(named)
        .chain(purged)
        .find(|rule| rule.0 == id)
        .map(|rule| rule.1)
}

/// All of them.
pub const RULES: &[SecretRule] = &[
    SecretRule {
        id: "private-key",
        why: "A private key.",
        hits: &[
            concat!(
                "-----BEGIN RSA ",
                "PRIVATE KEY-----\nMIIEow7Qx2hB4kW9vN1zR6dC3mF8sJ5pL0gKuEaTy7Qx2hB4kW9vN1z\n-----END RSA PRIVATE KEY-----"
            ),
            concat!(
                "\"key\": \"-----BEGIN ",
                "PRIVATE KEY-----\\nMIIEow7Qx2hB4kW9vN1zR6dC3mF8sJ5pL0gKuEaTy7Qx2hB4kW9vN1z\\n-----END PRIVATE KEY-----\""
            ),
        ],
        misses: &[
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7Qx2hB4kW9vN1z\n-----END PUBLIC KEY-----",
            concat!("-----BEGIN RSA ", "PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----"),
        ],
    },
    SecretRule {
        id: "web-token",
        why: "A signed web token.",
        hits: &[concat!(
            "eyJhbGciOiJIUzI1NiJ9",
            ".eyJzdWIiOiJraW5nZmlzaGVyIn0",
            ".q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9QoXa1VtKw4"
        )],
        misses: &["eyJmb28iOiJiYXIifQ.eyJiYXoiOiJxdXgifQ.abc", "The header eyJhbGciOiJIUzI1NiJ9 says HS256."],
    },
    SecretRule {
        id: "address-password",
        why: "A password in an address.",
        hits: &[
            "redis://:p4ssw0rd@cache:6379",
            "mongodb+srv://app:S3cr3t@cluster0.mongodb.net/db",
            "The worker reads amqp://billing:Gannet7!kelp@queue-2.internal:5672/orders.",
            "redis://:Autumn@q8UHej@cache-1.internal:6379/0",
            "postgres://admin:S3cr3tPass@db.internal:5432/orders",
            "mysql://app:changeme123@127.0.0.1/app",
        ],
        misses: &[
            "redis://:password@host",
            "redis://:${REDIS_PASSWORD}@cache:6379",
            "redis://:xxxx@cache:6379",
            "mongodb+srv://user:<password>@cluster0.example.net/db",
            "mongodb+srv://app:secret@cluster0.example.net/db",
            "postgres://postgres:postgres@localhost:5432/app",
            "postgres://user:password@localhost/db",
            "postgres://app:changeme@db:5432/app",
            "amqp://guest:guest1@queue.internal",
            "https://user:password@example.com",
            "mongodb://${USER}:${PASS}@host/db",
            "http://localhost:8080/@scope/package",
        ],
    },
    SecretRule {
        id: "bearer-token",
        why: "A bearer token.",
        hits: &["Authorization: Bearer 7f03bd91ce4a55280d6e91fa3b7c2e84"],
        misses: &[
            "Authorization: Bearer <token>",
            "Authorization: Bearer ${TOKEN}",
            "The bearer of this letter",
            "Bearer XXXXXXXXXXXXXXXXXXXX",
        ],
    },
    SecretRule {
        id: "basic-credentials",
        why: "A name and a password in a header.",
        hits: &["Authorization: Basic Ym9hdHN3YWluOkdhbm5ldDcha2VscA=="],
        misses: &[
            "Authorization: Basic <credentials>",
            "basic authentication is off",
            "Basic dXNlcjpwYXNzd29yZA==",
        ],
    },
    SecretRule {
        id: "access-signature",
        why: "The signature of a shared access address: whoever has the address gets in.",
        hits: &[
            "https://gannet.blob.core.windows.net/kelp?sv=2022-11-02&sp=rl&sig=q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9QoXa1VtKw4%3D",
            "SharedAccessSignature sr=gannet&sig=q7Zx0Wv3L%2FTb5Nd8RfYh2McPsJe6GgUi9QoXa%2BVtKw4=&se=1767225600&skn=send",
            "next=https%3A%2F%2Fgannet.test%2F%3Fsp%3Dr%26sig%3Dq7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9QoXa1VtKw4%3D",
        ],
        misses: &[
            "https://gannet.blob.core.windows.net/kelp?sv=2022-11-02&sp=rl&sig=<signature>",
            "the page takes ?design=q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9QoXa1VtKw4 as its theme",
            "run it with sig=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ],
    },
    SecretRule {
        id: "discord-bot-token",
        why: "The token of a Discord bot.",
        hits: &[concat!("MTA2Nzk0MTgyNTczMDYyMTQ0", ".GxQ4vT", ".q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9Qo")],
        misses: &["Module.exports.SomethingVeryLong", "see internal.docs1.example"],
    },
    SecretRule {
        id: "drawn-literal",
        why: "Letters drawn at random in code; if they are no secret, say so by the name they are given.",
        hits: &["const seed = \"q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9QoXa1Vt\";"],
        misses: &[
            "const integrity = \"sha512-q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9QoXa1Vt==\";",
            "q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6GgUi9QoXa1Vt was printed",
            "const ALPHABET_USED = \"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\";",
        ],
    },
    SecretRule {
        id: "command-password",
        why: "A password on the line of a command.",
        hits: &[
            "sshpass -p Gannet7kelp ssh ops@gate",
            "Run `mysql -u root -pGannet7-kelp orders` on the host.",
            "curl -u petrel:Gannet7kelp https://api.test/v1",
            "mysql -u root -pletmein99 orders",
        ],
        misses: &[
            "mysql -u root -pchangeme orders",
            "mysql -u root -p orders",
            "curl -u <user:password> https://api.test",
            "docker run -p 8080:80 nginx",
            "sshpass -p $PASS ssh ops@gate",
        ],
    },
    SecretRule {
        id: "login-pair",
        why: "A name and its password.",
        hits: &[
            "Log in to the wiki with editor / Gannet!kElp when the other way is shut.",
            "credentials are editor:Gannet7!kElp",
            "Log in to staging with admin / letmein99.",
            "Log in to staging as admin/Passw0rd!",
        ],
        misses: &[
            "Log in with your name / password.",
            "The login page lives in web/login.rs.",
            "log in and/or sign up",
        ],
    },
    SecretRule {
        id: "password-clause",
        why: "A password in a statement.",
        hits: &["CREATE USER 'tern' IDENTIFIED BY 'Gannet7kelp';", "requirepass Gannet7kelp"],
        misses: &["CREATE USER 'tern' IDENTIFIED BY '<secret>';", "rows are identified by their id"],
    },
    SecretRule {
        id: "password-assignment",
        why: "A password that is assigned.",
        hits: &[
            "DB_PASS=Gannet7kelp",
            "password: \"Gannet7kelp\"",
            "\"dbPassword\" : \"Gannet7kelp\"",
            "let password: &str = \"Gannet7kelp\";",
            "POSTGRES_PASSWORD: changeme123",
            "password = \"Passw0rd!\"",
            "ADMIN_PASSWORD=letmein99",
        ],
        misses: &[
            "tests pass: test_foo1",
            "password = os.environ[\"DB_PASSWORD\"]",
            "password: must have 12 characters",
            "DB_PASS=${DB_PASS}",
            "password_file = \"secrets/db7.txt\"",
            "password: \"changeme1\"",
            "password: \"change-me\"",
            "POSTGRES_PASSWORD=changeme",
            "password: \"Password123\"",
            "password=$1",
        ],
    },
    SecretRule {
        id: "key-assignment",
        why: "A key or a token that is assigned.",
        hits: &[
            "api_key=12345abcde",
            "\"apiKey\": \"k7b29xq4\"",
            "export DEPLOY_TOKEN=7f03bd91ce4a55280d6e",
            "apiKey: \"q7Zx0Wv3LkTb5Nd8\"",
            "client_secret = 'q7Zx0Wv3LkTb5Nd8RfYh'",
            "secret = \"Tr0ub4dor&3\"",
        ],
        misses: &[
            "secret = \"a&b=Page1\" + name",
            "the secret is named \"Db&Cache1\" there",
            "secret: \"${DB_SECRET1}\"",
            "api_key=YOUR_KEY",
            "api_key=xxxx",
            "api_key=example123",
            "api_key=test12345",
            "api_key=1234567890",
            "secret_key=sha256hash",
            "token_limit=1234abcd",
            "api_key=${PW}",
            "let token = auth.refresh_token().await?;",
            "secret_name = \"prod/db/credentials2\"",
            "token: \"xxxxxxxxxxxxxxxxxxxxxxxx\"",
            "public_key = \"q7Zx0Wv3LkTb5Nd8RfYh\"",
            "primary_key = \"q7Zx0Wv3LkTb5Nd8RfYh\"",
            "max_tokens = 4096",
        ],
    },
    SecretRule {
        id: "password-comparison",
        why: "A password that is compared with.",
        hits: &["if (\"Gannet7kelp\" == password) {"],
        misses: &["if (\"\" == password) {", "if (input == password) {"],
    },
    SecretRule {
        id: "key-comparison",
        why: "A key that is compared with.",
        hits: &["if (\"q7Zx0Wv3LkTb5Nd8\" != secret) {"],
        misses: &["if (\"none\" != token) {"],
    },
    SecretRule {
        id: "password-in-prose",
        why: "A password told in a sentence.",
        hits: &[
            "user admin, pass letmein99",
            "Login: deploy / pass Gannet7kelp",
            "The username is ops and the pass is Gannet7kelp.",
            "The staging password for the reports replica is Gannet_kE7lp, user is tern.",
            "Build user tern, pwd Gannet$KdLp (set in May).",
            "It was the wrong password. Correct one: Gannet#8nKp",
            "Use Gannet!kElp7 as the root password.",
            "Das Passwort lautet Gannet7kelp.",
            "the passphrase is \"heron gravel teapot orbit\"",
            "Open it with the passphrase gravel-otter-lantern-quilt-77 at boot.",
            "The pass is G4nnet&Kelp38",
            "the pw is letmein99",
            "PIN of the door: 730418",
            "The admin password of staging is letmein99.",
            "Sign in as admin with password Passw0rd! and change nothing.",
            "Use changeme123 as the root password.",
        ],
        misses: &[
            "password is base64encoded",
            "Password policy: minimum12 characters",
            "The password is sha256-hashed before it is stored.",
            "the passphrase is bcrypt_hash",
            "The user must pass SHA256sums to the server.",
            "user admin, pass phase2",
            "User stories pass v2beta1 and e2e.",
            "Refuse passwords such as `letmein99` and Passw0rd! at sign-up.",
            "Passw0rd! is a weak password.",
            "Never use changeme123 as a password.",
            "A password like S3cr3tPass is found in minutes.",
            "The password field must be at least 12 characters; see validators.rs.",
            "The password is hashed with argon2id before it is stored.",
            "Password reset links expire after 15 minutes (RFC 6238).",
            "The password is read from DB_PASSWORD.",
            "The first pass is slow and the PIN of the safe is not kept here.",
            "Pin the card reader to version 20240511.",
            "Pin the login action to v4: 20240511",
            "The error was \"the password must not be empty\".",
            "sqlx-postgres/src/message/password.rs#EXPECTED",
            "See src/auth/password.rs#Sha256Hasher for how it is hashed.",
        ],
    },
    SecretRule {
        id: "key-in-prose",
        why: "A key or a token told in a sentence.",
        hits: &[
            "The API key has two parts: q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6 and a name.",
            "{\"tokens\": 71, \"session_id\": \"q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6\"}",
            "The test needs an access token; Ivo gave me q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6, keep it.",
            "I used `q7Zx0Wv3LkTb5Nd8RfYh2McPsJe6` as the token.",
            "CI fails unless API key 7f03bd91ce4a55280d6e91fa3b7c2e84 is exported.",
        ],
        misses: &[
            "{\"tokens\": 71, \"parts\": \"084317f90b6f09670e50a9f707e7b3a10682d77b127fb28708f5f087\"}",
            "{\"output_tokens\":39,\"call_id\":\"call_ZZh6NaDb5jTmPjMVeLwWitrH\",\"output\":\"done\"}",
            "false_positive.3e192494629ecc3a  The address of the gateway is no secret.",
            "The token cache is keyed by commit 36816a27b92aeb900fe930a581dd3ee8c17e5489.",
            "Never commit OPENAI_API_KEY; read it with std::env::var(\"OPENAI_API_KEY\").",
            "Entry 47032e09-7919-4147-aeff-62acf4c297d0 replaced the token note.",
        ],
    },
];
