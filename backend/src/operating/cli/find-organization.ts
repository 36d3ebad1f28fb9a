import type { Db } from '../../platform/db/index.ts'
import { parseId } from '../../platform/ids.ts'
import { listAllOrganizations, type OrganizationOverview } from './operator-store.ts'

/** The organization with this id, or the only one if no id is given. Throws an error for the operator. */
export async function findOrganization(db: Db, id: string | undefined): Promise<OrganizationOverview> {
  const all = await listAllOrganizations(db)
  if (id === undefined) {
    const [only, ...others] = all
    if (!only) throw new Error('There is no organization yet.')
    if (others.length > 0)
      throw new Error('There are several organizations: choose one with --organization ("vedette org list" lists them).')
    return only
  }
  const uuid = parseId('organization', id)
  const found = all.find((organization) => organization.id === uuid)
  if (!found) throw new Error(`There is no organization ${id} ("vedette org list" lists them).`)
  return found
}
