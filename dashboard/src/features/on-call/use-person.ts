import { useQuery } from '@tanstack/react-query'
import { useViewer } from '../../lib/api.ts'
import { membersQuery } from '../../lib/member-queries.ts'
import { personOf } from '../../lib/person.ts'

/** The name and e-mail of a person, for who may read the list of members; else the e-mail. */
export function usePersonText(): (person: { user_id: string; email: string }) => string {
  const viewer = useViewer()
  const { data } = useQuery({ ...membersQuery(viewer), enabled: viewer.can('org:read') })
  return ({ user_id: id, email }) => personOf(data?.members ?? [], id) ?? email
}
