import type { Region } from '@vedette/shared'
import type { Static } from 'typebox'
import { SYSTEM } from '../../access/audit/index.ts'
import { createSecretToken } from '../../access/auth/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { recordSecurityEvent } from '../../access/security-log/index.ts'
import * as store from './store.ts'

/** A region is online while a worker was seen in this time: three missed requests. */
const ONLINE_MS = 90_000

interface RegionDeps {
  db: Db
  clock: Clock
}

/** All regions of the installation, which every organization shares. */
export async function listRegions({ db, clock }: RegionDeps): Promise<Static<typeof Region>[]> {
  const aliveSinceMs = clock.now() - ONLINE_MS
  const rows = await store.listRegions(db, aliveSinceMs)
  return rows.map(({ id, name, alive_at: aliveAt, control_targets }) => ({
    id,
    name,
    status: aliveAt !== null && aliveAt >= aliveSinceMs ? 'online' : 'offline',
    control_targets,
  }))
}

/** Adds a region for a remote probe and returns its token, which is shown only once. Throws when the id exists. */
export async function addRegion({ db, clock }: RegionDeps, id: string, name: string): Promise<string> {
  const { secret, hash } = createSecretToken('probeToken')
  const at = new Date(clock.now())
  await inTransaction(db, async (transaction) => {
    if (!(await store.insertRegion(transaction, { id, name, tokenHash: hash }, at)))
      throw new Error(`Region ${id} already exists ("vedette region rotate-token ${id}" replaces its token).`)
    await recordSecurityEvent(transaction, { ...SYSTEM, type: 'probe_token.created', details: { region: id } }, at)
  })
  return secret
}

/** Replaces the token of a region's probes; the old one is refused at once. Throws for an unknown region. */
export async function rotateRegionToken({ db, clock }: RegionDeps, id: string): Promise<string> {
  const { secret, hash } = createSecretToken('probeToken')
  await inTransaction(db, async (transaction) => {
    if (!(await store.replaceRegionToken(transaction, id, hash)))
      throw new Error(`Region ${id} does not exist ("vedette region list" lists them).`)
    const event = { ...SYSTEM, type: 'probe_token.replaced', details: { region: id } } as const
    await recordSecurityEvent(transaction, event, new Date(clock.now()))
  })
  return secret
}
