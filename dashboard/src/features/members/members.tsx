import type { ApiKey } from '@vedette/shared'
import { ROLES, type Role } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Panel } from '../../components/page.tsx'
import { Instant, useNow } from '../../components/time.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { membersQuery } from '../../lib/member-queries.ts'
import { personText } from '../../lib/person.ts'
import { grantableRoles, roleDescription, roleName } from '../../lib/roles.ts'
import { fullDate } from '../../lib/time.ts'
import { settingsPages } from '../../messages/settings-pages.ts'
import { Invitations, Invite } from './invitations.tsx'

const text = settingsPages.members

type Member = { id: string; email: string; name: string | null; role: Role; joined_at: string }

export function Members() {
  const viewer = useViewer()
  const { can } = viewer
  const [isInviting, setInviting] = useState(false)
  const members = useQuery(membersQuery(viewer))
  return (
    <>
      <ListPanel
        title={text.title}
        {...(members.data?.members.length === 1 ? { lead: text.alone } : {})}
        add={
          can('members:invite') && (
            <Button small variant="primary" onClick={() => setInviting(true)}>
              {text.invite}
            </Button>
          )
        }
        query={members}
        rowsOf={(answer) => answer.members}
        row={(member) => <MemberRow key={member.id} member={member} />}
      />
      <Panel>
        <dl className="grid gap-1.5">
          {ROLES.toReversed().map((role) => (
            <div key={role} className="flex gap-3">
              <dt className="w-24 shrink-0 font-semibold">{roleName(role)}</dt>
              <dd className="text-soft">{roleDescription(role)}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {can('members:invite') && <Invitations />}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  )
}

function MemberRow({ member }: { member: Member }) {
  const { client, me, organization, organizationId, can } = useViewer()
  const cache = useCache()
  const [isRemoving, setRemoving] = useState(false)
  const keys = useKeysOf(member.id, isRemoving)
  const offered = grantableRoles(organization?.role ?? 'viewer')
  const isSelf = member.id === me.id
  const mayChange = offered.includes(member.role)
  const changeRole = async (role: Role) => {
    await client.members.update(organizationId, member.id, { role })
    toast(text.roleChanged)
  }
  const refresh = () => Promise.all([cache.invalidate('members'), cache.invalidateViewer()])
  const remove = async () => {
    await client.members.remove(organizationId, member.id)
    toast(text.removed(personText(member)))
    await (isSelf ? cache.invalidateViewer() : cache.invalidate('members'))
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <p className="cut font-medium">
          <bdi>{member.name ?? member.email}</bdi> {isSelf && <span className="font-normal text-muted">({text.you})</span>}
        </p>
        <p className="text-[0.9rem] text-muted">
          {member.name !== null && `${member.email} · `}
          {text.joined} <Instant at={member.joined_at} format={fullDate} />
        </p>
      </div>
      {can('members:update') && mayChange ? (
        <select
          aria-label={`${text.role}: ${personText(member)}`}
          value={member.role}
          onChange={(event) =>
            void changeRole(event.target.value as Role)
              .catch(toastError)
              .finally(() => void refresh())
          }
          className="field min-h-9 w-auto py-1"
        >
          {offered.map((role) => (
            <option key={role} value={role}>
              {roleName(role)}
            </option>
          ))}
        </select>
      ) : (
        <span className="text-soft">{roleName(member.role)}</span>
      )}
      {((can('members:remove') && mayChange) || isSelf) && (
        <Button small onClick={() => setRemoving(true)}>
          {isSelf ? text.leave : text.remove}
        </Button>
      )}
      <Confirm
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={isSelf ? text.leaveTitle : text.removeTitle(personText(member))}
        description={isSelf ? text.leaveLead : `${text.removeLead}${keys === '' ? '' : ` ${text.keysStay(keys)}`}`}
        action={isSelf ? text.leave : text.remove}
        onConfirm={remove}
      />
    </li>
  )
}

/** Names of the valid keys that a member made and that outlive the membership, for who may revoke them. */
function useKeysOf(memberId: string, isWanted: boolean): string {
  const { client, can, organizationId } = useViewer()
  const now = useNow()
  const { data } = useQuery({
    queryKey: [organizationId, 'api-keys', 'of all members'],
    queryFn: ({ signal }) => client.apiKeys.list({ limit: 100 }, { signal }),
    enabled: isWanted && can('integrations:manage'),
  })
  const stays = (key: ApiKey) =>
    key.created_by === memberId &&
    !key.ends_with_creator &&
    key.revoked_at === null &&
    (key.expires_at === null || Date.parse(key.expires_at) > now)
  return (data?.api_keys ?? [])
    .filter(stays)
    .map(({ name }) => name)
    .join(', ')
}
