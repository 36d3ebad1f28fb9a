import { backup } from './backup.ts'
import type { Command } from './command.ts'
import { apply, drift, undo } from './apply.ts'
import { plan } from './plan.ts'
import { pull } from './pull.ts'
import { compact } from './compact.ts'
import { createCompletion, createMan } from './completion.ts'
import { configCheck } from './config-check.ts'
import { configSet } from './config-set.ts'
import { doctor } from './doctor.ts'
import { exportCommand } from './export.ts'
import { identityProviderList, identityProviderShow, identityProviderTest } from './identity-provider.ts'
import { importCommand } from './import.ts'
import { keyCreate } from './key-create.ts'
import { migrate } from './migrate.ts'
import { migrateFrom } from './migrate-from.ts'
import { oncallDiff } from './oncall-diff.ts'
import { orgList } from './org-list.ts'
import { orgSetPlan } from './org-set-plan.ts'
import { probeCheck } from './probe-check.ts'
import { probe } from './probe.ts'
import { regionAdd } from './region-add.ts'
import { regionList } from './region-list.ts'
import { regionRotateToken } from './region-rotate-token.ts'
import { replay } from './replay.ts'
import { restore } from './restore.ts'
import { securityLog } from './security-log.ts'
import { serve, start } from './serve.ts'
import { serviceInstall, serviceStatus, serviceUninstall } from './service.ts'
import { status } from './storage-status.ts'
import { userCreate } from './user-create.ts'
import { userResetPassword } from './user-reset-password.ts'
import { userResetTotp } from './user-reset-totp.ts'
import { version } from './version.ts'
import { work } from './work.ts'

/** Every command but `help`, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  start,
  serve,
  work,
  probeCheck,
  probe,
  migrate,
  compact,
  status,
  doctor,
  backup,
  restore,
  exportCommand,
  importCommand,
  userCreate,
  userResetPassword,
  userResetTotp,
  orgList,
  orgSetPlan,
  identityProviderList,
  identityProviderShow,
  identityProviderTest,
  plan,
  apply,
  undo,
  drift,
  pull,
  migrateFrom,
  oncallDiff,
  replay,
  keyCreate,
  regionAdd,
  regionList,
  regionRotateToken,
  securityLog,
  configCheck,
  configSet,
  serviceInstall,
  serviceUninstall,
  serviceStatus,
  createCompletion(() => COMMANDS),
  createMan(() => COMMANDS),
  version,
]
