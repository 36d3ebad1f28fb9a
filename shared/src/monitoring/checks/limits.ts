/** Bounds of checks and of what probes report. This file needs no schema library, so that the page and a probe can load it alone. */

/** Longer messages are cut, so that a target cannot fill the database through its responses. */
export const MAX_CHECK_MESSAGE_LENGTH = 300
/** Excerpt of the response to a failed check: characters of the status line, bytes of the body. */
export const MAX_STATUS_LINE_LENGTH = 200
export const MAX_ANSWER_BYTES = 1_024
/** Of a body that a definition wants to be kept; more than the excerpt above is encrypted. */
export const MAX_KEPT_RESPONSE_BYTES = 65_536
export const MAX_SUBJECT_NAMES = 50
export const MAX_CERTIFICATE_NAME_LENGTH = 255
/** Certificates of one chain, the leaf included; what a target sends beyond them is left out. */
export const MAX_CHAIN_CERTIFICATES = 10
/** Facts of one check: how many, and characters of a text. */
export const MAX_FACTS = 20
export const MAX_FACT_LENGTH = 300
export const MAX_ASSERTION_PROPERTY_LENGTH = 512
export const MAX_ASSERTION_VALUE_LENGTH = 1_024
/** Of a `body_json` assertion. */
export const MAX_JSON_SCHEMA_BYTES = 16_384
/** Rows that a check of a database reads at most. */
export const MAX_DATABASE_ROWS = 1_000
/** Options and credentials of one monitor. */
export const MAX_OPTIONS = 40
export const MAX_CREDENTIALS = 10
/** Of all options together, as JSON. */
export const MAX_OPTIONS_BYTES = 32_768
/** Of a definition. */
export const MAX_URL_LENGTH = 2_048
export const MAX_REQUEST_BODY_BYTES = 65_536
export const MAX_REQUEST_HEADERS = 50
export const MAX_HEADER_NAME_LENGTH = 256
export const MAX_HEADER_VALUE_LENGTH = 4_096
/** Protocols of the URLs of checks over HTTP. */
export const HTTP_PROTOCOLS = ['http:', 'https:'] as const

/** Mail servers would execute lines of a request body: refused under any policy to each kind but `smtp`. All others are allowed. */
export const MAIL_PORTS: ReadonlySet<number> = new Set([25, 465, 587])

export const CHECK_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type CheckMethod = (typeof CHECK_METHODS)[number]
export const TIMEOUT_SECONDS = { minimum: 1, maximum: 60, default: 10 } as const
/** Failed checks in a row before a region counts as down. */
export const CONFIRMATIONS = { minimum: 1, maximum: 10, default: 2 } as const
export const MONITOR_INTERVAL_SECONDS = { minimum: 10, maximum: 86_400, default: 60 } as const

/** Fields of checks over HTTP alone. */
export const HTTP_FIELDS = ['method', 'headers', 'body', 'follow_redirects', 'verify_tls'] as const
export type HttpField = (typeof HTTP_FIELDS)[number]
