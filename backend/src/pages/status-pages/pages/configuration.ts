import { CreateStatusPageBody } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../../access/auth/index.ts'
import { DEFAULTS, type PageDeps, toPage } from './service.ts'
import { readPages } from './store.ts'

const { domain_verified_at: _verified, password_hash: _hash, link_version: _version, ...OPTIONAL } = DEFAULTS

/** The password of a page is stored as a hash: it is never part of what is read. */
export const pageConfiguration: Configuration<PageDeps> = {
  kind: 'status_page',
  table: 'status_page',
  read: async (deps, tenant, ids) =>
    (await readPages(deps.db, tenant.number, ids)).map((row) =>
      toConfigured(row, pickFields(CreateStatusPageBody, toPage(deps, row))),
    ),
  complete: ({ password: _password, ...spec }) => ({ ...OPTIONAL, ...spec }),
}
