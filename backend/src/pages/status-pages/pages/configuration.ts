import { CreateStatusPageBody, MASK } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../../access/auth/index.ts'
import { randomBytes } from '../../../platform/crypto/random.ts'
import { DEFAULTS, type PageDeps, toPage } from './service.ts'
import { readPages } from './store.ts'

const { domain_verified_at: _verified, password_hash: _hash, link_version: _version, ...OPTIONAL } = DEFAULTS

/** Of a password that nobody knows. */
const PASSWORD_BYTES = 24

/** The password of a page is stored as a hash: it is never part of what is read. */
export const pageConfiguration: Configuration<PageDeps> = {
  kind: 'status_page',
  table: 'status_page',
  read: async (deps, tenant, ids) =>
    (await readPages(deps.db, tenant.number, ids)).map((row) =>
      toConfigured(row, pickFields(CreateStatusPageBody, toPage(deps, row))),
    ),
  again: (spec) =>
    spec.visibility === 'password' ? { ...spec, password: randomBytes(PASSWORD_BYTES).toString('base64url') } : spec,
  // Only its hash is stored: nothing shows later whether it is still the same.
  complete: ({ password, ...spec }, before) => ({
    ...OPTIONAL,
    ...spec,
    ...(before === undefined && password !== undefined && { password }),
  }),
  mask: ({ password, ...spec }) => ({ ...spec, ...(password !== undefined && { password: MASK }) }),
}
