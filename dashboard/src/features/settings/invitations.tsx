import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormFault, SelectField, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { fieldFaults, sentenceOf } from '../../lib/errors.ts'
import { type Role, rolesUpTo } from '../../lib/roles.ts'
import { dayAndClock } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.members

/** What waits to be accepted; nothing where none does. */
export function Invitations() {
  const { client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: [scope, 'invitations'],
    queryFn: ({ signal }) => client.invitations.list(scope, { limit: 100 }, { signal }),
  })
  const revoke = async (id: string) => {
    try {
      await client.invitations.revoke(scope, id)
      toast(words.revoked)
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
    await queries.invalidateQueries({ queryKey: [scope, 'invitations'] })
  }
  if (!data || data.invitations.length === 0) return null
  return (
    <Panel title={words.invitations} flush>
      <ul className="divide-y divide-line border-line border-t">
        {data.invitations.map(({ id, email, role, expires_at }) => (
          <li key={id} className="flex items-center gap-4 px-4 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="truncate">
                {email} <span className="text-muted">· {text.settings.roles[role].name}</span>
              </p>
              <p className="text-[0.9rem] text-muted">
                {words.until} <Instant at={expires_at} format={dayAndClock} />
              </p>
            </div>
            <Button small onClick={() => void revoke(id)}>
              {words.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

export function Invite({ onClose }: { onClose: () => void }) {
  const { client, organization } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [error, setError] = useState<unknown>()
  const [link, setLink] = useState<string>()
  const invite = async () => {
    try {
      const { accept_url } = await client.invitations.create(scope, { email, role })
      setLink(accept_url)
      await queries.invalidateQueries({ queryKey: [scope, 'invitations'] })
    } catch (thrown) {
      setError(thrown)
    }
  }
  if (link !== undefined) {
    return (
      <Dialog isOpen onClose={onClose} title={words.linkTitle} description={words.linkLead(email)} wide>
        <CodeLines label={words.link} lines={[link]} />
      </Dialog>
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={words.invite}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void invite()
        }}
      >
        <TextField
          label={words.email}
          type="email"
          required
          value={email}
          fault={fieldFaults(error)['email']}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label={words.role}
          hint={text.settings.roles[role].may}
          value={role}
          onChange={(event) => setRole(event.target.value as Role)}
        >
          {rolesUpTo(organization?.role ?? 'viewer').map((each) => (
            <option key={each} value={each}>
              {text.settings.roles[each].name}
            </option>
          ))}
        </SelectField>
        <FormFault>{error === undefined ? undefined : sentenceOf(error)}</FormFault>
        <Button type="submit" look="primary" className="justify-self-end">
          {words.invite}
        </Button>
      </form>
    </Dialog>
  )
}
