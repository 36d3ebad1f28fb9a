import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Panel, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { ROLES, type Role, rolesUpTo } from '../../lib/roles.ts'
import { fullDate } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { Invitations, Invite } from './invitations.tsx'

const words = text.settings.members

type Person = { id: string; email: string; role: Role; joined_at: string }

export function Members() {
  const { client, can } = useViewer()
  const scope = useScope()
  const [isInviting, setInviting] = useState(false)
  const members = useQuery({ queryKey: [scope, 'members'], queryFn: ({ signal }) => client.members.list(scope, {}, { signal }) })
  return (
    <>
      <Panel
        title={words.title}
        flush
        aside={
          can('members:invite') && (
            <Button small look="primary" onClick={() => setInviting(true)}>
              {words.invite}
            </Button>
          )
        }
      >
        {members.isError && <Trouble error={members.error} />}
        {members.data ? (
          <ul className="divide-y divide-line border-line border-t">
            {members.data.members.map((member) => (
              <MemberRow key={member.id} member={member} />
            ))}
          </ul>
        ) : (
          <SkeletonRows rows={3} />
        )}
      </Panel>
      <Panel>
        <dl className="grid gap-1.5">
          {ROLES.toReversed().map((role) => (
            <div key={role} className="flex gap-3">
              <dt className="w-20 shrink-0 font-semibold">{text.settings.roles[role].name}</dt>
              <dd className="text-soft">{text.settings.roles[role].may}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {can('members:invite') && <Invitations />}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  )
}

function MemberRow({ member }: { member: Person }) {
  const { client, me, organization, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [isRemoving, setRemoving] = useState(false)
  const own = organization?.role ?? 'viewer'
  const offered = rolesUpTo(own)
  const isSelf = member.id === me.id
  const mayTouch = offered.includes(member.role)
  const change = async (role: Role) => {
    try {
      await client.members.update(scope, member.id, { role })
      toast(words.changed)
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
    await Promise.all([
      queries.invalidateQueries({ queryKey: [scope, 'members'] }),
      queries.invalidateQueries({ queryKey: ['me'] }),
    ])
  }
  const remove = async () => {
    await client.members.remove(scope, member.id)
    toast(words.removed(member.email))
    await queries.invalidateQueries({ queryKey: isSelf ? ['me'] : [scope, 'members'] })
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">
          {member.email} {isSelf && <span className="font-normal text-muted">({words.you})</span>}
        </p>
        <p className="text-[0.9rem] text-muted">
          {words.joined} <Instant at={member.joined_at} format={fullDate} />
        </p>
      </div>
      {can('members:update') && mayTouch ? (
        <select
          aria-label={`${words.role}: ${member.email}`}
          value={member.role}
          onChange={(event) => void change(event.target.value as Role)}
          className="field min-h-9 w-auto py-1"
        >
          {offered.map((role) => (
            <option key={role} value={role}>
              {text.settings.roles[role].name}
            </option>
          ))}
        </select>
      ) : (
        <span className="text-soft">{text.settings.roles[member.role].name}</span>
      )}
      {((can('members:remove') && mayTouch) || isSelf) && (
        <Button small onClick={() => setRemoving(true)}>
          {isSelf ? words.leave : words.remove}
        </Button>
      )}
      <Confirm
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={words.removeTitle(member.email)}
        description={words.removeLead}
        action={isSelf ? words.leave : words.remove}
        onConfirm={remove}
      />
    </li>
  )
}
