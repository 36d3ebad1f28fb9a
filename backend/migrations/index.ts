import type { Migration } from 'kysely/migration'
import * as foundation from './0001-foundation.ts'
import * as audit from './0002-audit.ts'
import * as members from './0003-members.ts'
import * as accounts from './0004-accounts.ts'
import * as limits from './0005-limits.ts'
import * as keys from './0006-keys.ts'
import * as mailOutbox from './0007-mail-outbox.ts'
import * as samples from './0008-samples.ts'
import * as monitors from './0009-monitors.ts'
import * as dimensions from './0010-dimensions.ts'
import * as processes from './0011-processes.ts'
import * as limitGrants from './0012-limits.ts'
import * as alerts from './0013-alerts.ts'
import * as evidence from './0014-evidence.ts'

/** All migrations in their order. They only go forward; one that was merged is never edited. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-audit': audit,
  '0003-members': members,
  '0004-accounts': accounts,
  '0005-limits': limits,
  '0006-keys': keys,
  '0007-mail-outbox': mailOutbox,
  '0008-samples': samples,
  '0009-monitors': monitors,
  '0010-dimensions': dimensions,
  '0011-processes': processes,
  '0012-limits': limitGrants,
  '0013-alerts': alerts,
  '0014-evidence': evidence,
}
