/** What the configuration consists of, in the order in which it is created: each refers to earlier ones. */
export const CONFIGURATION_KINDS = [
  'channel',
  'schedule',
  'escalation_policy',
  'identity_provider',
  'server_settings',
  'monitor',
  'alert_rule',
  'slo',
  'alert_source',
  'maintenance_window',
  'status_page',
] as const
export type ConfigurationKind = (typeof CONFIGURATION_KINDS)[number]

export const CHANGE_SET_STATES = ['proposed', 'applied', 'undone', 'expired'] as const
export type ChangeSetState = (typeof CHANGE_SET_STATES)[number]

export const CHANGE_ACTIONS = ['create', 'update', 'delete', 'adopt'] as const
export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

/** How long before and after of each step are kept. */
export const CHANGE_SET_DAYS = 400
/** A proposal that was not applied ends. */
export const PROPOSAL_HOURS = 24
/** Of an organization, at once. */
export const MAX_PROPOSALS = 20
export const MAX_CHANGE_SET_RESOURCES = 5_000
/** What a client waits until one is applied or taken back, ms. */
export const CHANGE_SET_TIMEOUT_MS = 120_000
export const MAX_CHANGE_SET_BYTES = 8 * 1024 * 1024
/** More deletions must be confirmed by their number; so must a larger share of what the owner has. */
export const UNCONFIRMED_DELETES = { count: 20, share: 0.1 } as const
