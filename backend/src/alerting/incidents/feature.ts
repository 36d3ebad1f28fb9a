import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { actionEncrypter } from '../../notifying/notifications/index.ts'
import { incidentActionRoutes } from './actions/routes.ts'
import { deleteUsedLinks } from './actions/store.ts'
import { escalateDueIncidents } from './escalate.ts'
import { resolveIncidentsOf } from './lifecycle.ts'
import { INCIDENT_TABLES, keepIncidentPartitions } from './partitions.ts'
import { notifyOverdueIncidents } from './reminders.ts'
import { incidentRoutes } from './routes.ts'
import { deleteOrganizationIncidents } from './store.ts'

export interface Context {
  db: Db
  clock: Clock
  ending: AbortSignal
  areIncidentsOpen(): Promise<boolean>
}

/** The shortest repeat interval of a rule is a minute. */
const REMIND_EVERY_MS = 5_000
/** Of a job that has nothing to do while no incident is open; an announcement may be lost. */
export const WHILE_NONE_IS_OPEN = { ms: 30_000, wokenBy: 'open_incident' }

export const incidentFeature = defineFeature({
  routes: [
    incidentRoutes,
    (app: App, { db, clock, secrets }: { db: Db; clock: Clock; secrets: InstallationSecrets }) =>
      incidentActionRoutes(app, { db, clock, actionEncrypter: actionEncrypter(secrets) }),
  ],
  partitions: { tables: INCIDENT_TABLES, keep: keepIncidentPartitions },
  jobs: ({ areIncidentsOpen, ...context }: Context) => ({
    /** Notifies again about open incidents at the repeat interval of their rules. */
    notifyOverdue: {
      name: 'reminders',
      everyMs: REMIND_EVERY_MS,
      when: areIncidentsOpen,
      rests: WHILE_NONE_IS_OPEN,
      run: () => notifyOverdueIncidents(context),
    },
    /** Takes the steps of escalation policies that are due, and opens acknowledged incidents again. */
    escalate: {
      name: 'escalation',
      everyMs: REMIND_EVERY_MS,
      when: areIncidentsOpen,
      rests: WHILE_NONE_IS_OPEN,
      run: () => escalateDueIncidents(context),
    },
  }),
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteUsedLinks(db, clock.now()),
  deleteOrganization: deleteOrganizationIncidents,
  deleteServer: (db, organization, serverId, at) =>
    resolveIncidentsOf(db, organization, [serverId], 'the server was deleted', at),
})
