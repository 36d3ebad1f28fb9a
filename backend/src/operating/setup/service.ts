import { createHash, timingSafeEqual } from 'node:crypto'
import type { SetupBody } from '@vedette/shared'
import { type Actor, recordAudit, SYSTEM } from '../../access/audit/index.ts'
import {
  type AuthDeps,
  createUser,
  hashPassword,
  hasUsers,
  type OpenedSession,
  openSession,
  type Origin,
  passwordFault,
} from '../../access/auth/index.ts'
import { createOrganization } from '../../access/organizations/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { ApiError, conflict, invalid, unauthorized } from '../../platform/errors.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { recordSecurityEvent } from '../../access/security-log/index.ts'
import * as store from './store.ts'

/**
 * The one-time code of the set-up. Derived from the installation's secret, so that every instance and every start prints the same
 * code. It is useless once a user exists.
 */
export function setupCode(secrets: InstallationSecrets): string {
  return secrets.derive('set-up code')[0].toString('base64url').replaceAll(/[-_]/g, '').slice(0, 24)
}

export async function isSetupRequired(db: Db): Promise<boolean> {
  return !(await hasUsers(db))
}

/** The address of a session that the settings opened. */
const LOCAL = 'local'

export interface FirstOwner {
  email: string
  password: string
  name?: string
  organization: string
  remember?: boolean
}

/** Creates the first user with their organization. Throws conflict when a user exists; several calls at once are safe. */
async function createFirstOwner(
  deps: AuthDeps,
  owner: FirstOwner,
  { ip, userAgent }: Pick<Origin, 'ip' | 'userAgent'>,
  also: (db: Db, actor: Actor) => Promise<void>,
): Promise<OpenedSession> {
  const passwordHash = await hashPassword(owner.password)
  return inTransaction(deps.db, async (db) => {
    await store.lockSetup(db)
    if (await hasUsers(db)) throw conflict('Vedette is already set up. Sign in instead.')
    const userId = await createUser(db, deps.clock, owner.email, passwordHash, { name: owner.name })
    const { number, id } = await createOrganization(db, deps.clock, owner.organization, userId)
    const actor: Actor = ip === LOCAL ? SYSTEM : { principal: { kind: 'user', userId }, ip }
    await also(db, actor)
    const at = new Date(deps.clock.now())
    await recordSecurityEvent(db, { ...actor, type: 'installation.set_up', userId, organization: number }, at)
    await recordAudit(db, number, actor, { action: 'setup.completed', target: { kind: 'organization', id } }, at)
    return openSession(deps, db, userId, ip, userAgent, owner.remember)
  })
}

/** The set-up from the page. Throws conflict once a user exists, unauthorized for a wrong code, validation_error for a weak password. */
export async function setUp(
  deps: AuthDeps,
  secrets: InstallationSecrets,
  body: SetupBody,
  origin: Origin,
): Promise<OpenedSession> {
  if (!(await isSetupRequired(deps.db))) throw conflict('Vedette is already set up. Sign in instead.')
  if (!isSameText(body.code.trim(), setupCode(secrets)))
    throw unauthorized('The set-up code is wrong. Vedette prints the code at its start.')
  const fault = passwordFault(body.password)
  if (fault !== undefined) throw invalid({ path: 'password', message: fault })
  const at = new Date(deps.clock.now())
  const { allow_private_targets: isOpen = false } = body
  return createFirstOwner(deps, body, origin, (db, actor) => setAllowPrivateTargets(db, actor, isOpen, at))
}

/** Stores whether checks may reach private addresses. Run inside a transaction. */
export async function setAllowPrivateTargets(db: Db, actor: Actor, isOpen: boolean, at: Date): Promise<void> {
  await store.putAllowPrivateTargets(db, isOpen, at)
  const details = { name: 'allow_private_targets', value: isOpen }
  await recordSecurityEvent(db, { ...actor, type: 'installation.setting_changed', details }, at)
}

/** The set-up from the settings; does nothing once a user exists. Throws Error with a text for the operator on a weak password. */
export async function setUpFromSettings(deps: AuthDeps, owner: FirstOwner): Promise<'made' | 'exists'> {
  if (!(await isSetupRequired(deps.db))) return 'exists'
  const fault = passwordFault(owner.password)
  if (fault !== undefined) throw new Error(`VEDETTE_ADMIN_PASSWORD ${fault}`)
  try {
    await createFirstOwner(deps, owner, { ip: LOCAL, userAgent: '' }, async () => {})
    return 'made'
  } catch (error) {
    // Another instance was first.
    if (error instanceof ApiError && error.code === 'conflict') return 'exists'
    throw error
  }
}

/**
 * Binds the database to the secrets of the installation: with other secrets every session, code and encrypted value would be
 * invalid. A rotation keeps the old secret after the new one.
 */
export async function claimSecrets(db: Db, secrets: InstallationSecrets, at: Date): Promise<void> {
  const [newest, ...older] = secrets.fingerprints()
  const stored = await store.putSettingOnce(db, 'secret_fingerprint', newest, at)
  if (stored === newest) return
  if (!older.includes(stored as string)) {
    throw new Error(
      'This database belongs to an installation with another secret. Start with the secret.key of its first data folder, ' +
        'or set VEDETTE_SECRET_KEYS to the secret that was used before (to rotate it: the new one first, then the old one).',
    )
  }
  await store.putSetting(db, 'secret_fingerprint', newest, at)
}

function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
