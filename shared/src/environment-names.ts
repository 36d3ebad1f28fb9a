/**
 * The `VEDETTE_` names of each program. An unknown one is an error, so that a typo does not pass silently; those of the other
 * program are known and of no effect, since both may share a shell or a host. Without a schema library, so that an agent can load
 * them alone.
 */
export const AGENT_VARIABLES = ['VEDETTE_CONFIG', 'VEDETTE_STATE_DIR', 'VEDETTE_API_KEY'] as const

export const BACKEND_VARIABLES = [
  'VEDETTE_ADMIN_EMAIL',
  'VEDETTE_ADMIN_PASSWORD',
  'VEDETTE_ALLOW_PRIVATE_TARGETS',
  'VEDETTE_BOOTSTRAP_API_KEY_FILE',
  'VEDETTE_CONTROL_TARGETS',
  'VEDETTE_CORS_ORIGINS',
  'VEDETTE_DATA_DIR',
  'VEDETTE_HOST',
  'VEDETTE_LOCAL_AGENT',
  'VEDETTE_LOG_LEVEL',
  'VEDETTE_METRICS_TOKEN',
  'VEDETTE_ORGANIZATION',
  'VEDETTE_PORT',
  'VEDETTE_PUBLIC_URL',
  'VEDETTE_PUSH_INTERVAL_SECONDS',
  'VEDETTE_RATE_LIMITS',
  'VEDETTE_REGION',
  'VEDETTE_SAMPLE_INTERVAL_SECONDS',
  'VEDETTE_SECRET_KEYS',
  'VEDETTE_SMTP_URL',
  'VEDETTE_TLS_CERT_FILE',
  'VEDETTE_TLS_KEY_FILE',
  'VEDETTE_TRUST_PROXY',
] as const
