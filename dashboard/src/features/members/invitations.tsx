import { type Role } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Dialog, SecretDialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Instant } from '../../components/time.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { grantableRoles, roleDescription, roleName } from '../../lib/roles.ts'
import { dayAndClock } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.members

/** The invitations that are not accepted yet; nothing without one. */
export function Invitations() {
  const { client, organizationId } = useViewer()
  const cache = useCache()
  const invitations = useQuery({
    queryKey: [organizationId, 'invitations'],
    queryFn: ({ signal }) => client.invitations.list(organizationId, { limit: 100 }, { signal }),
  })
  const revoke = async (id: string) => {
    await client.invitations.revoke(organizationId, id)
    toast(text.revoked)
    await cache.invalidate('invitations')
  }
  if (!invitations.data || invitations.data.invitations.length === 0) return null
  return (
    <ListPanel
      title={text.invitations}
      query={invitations}
      rowsOf={(answer) => answer.invitations}
      row={({ id, email, role, expires_at }) => (
        <li key={id} className="flex items-center gap-4 px-4 py-2.5">
          <div className="min-w-0 flex-1">
            <p className="cut">
              {email} <span className="text-muted">· {roleName(role)}</span>
            </p>
            <p className="text-[0.9rem] text-muted">
              {text.expires} <Instant at={expires_at} format={dayAndClock} />
            </p>
          </div>
          <Button small onClick={() => void revoke(id).catch(toastError)}>
            {text.revoke}
          </Button>
        </li>
      )}
    />
  )
}

export function Invite({ onClose }: { onClose: () => void }) {
  const { client, organization, organizationId } = useViewer()
  const cache = useCache()
  const [link, setLink] = useState<string>()
  const invite = async (input: { email: string; role: Role }, idempotencyKey: string) => {
    try {
      const { accept_url } = await client.invitations.create(organizationId, input, { idempotencyKey })
      if (accept_url !== undefined) return setLink(accept_url)
      toast(text.invited(input.email))
      onClose()
    } finally {
      // Also after an error: an invitation whose link was lost on the way has to be seen and revoked.
      await cache.invalidate('invitations')
    }
  }
  const form = useForm({ email: '', role: 'member' } as const, invite, { schema: ['InviteBody', (input) => input] })
  const { input } = form
  if (link !== undefined) {
    return (
      <SecretDialog onClose={onClose} title={text.linkTitle} description={text.linkLead(input.email)}>
        <CodeLines label={text.link} lines={[link]} />
      </SecretDialog>
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={text.inviteTitle}>
      <Form form={form} action={text.invite}>
        <TextField label={text.email} type="email" required {...form.field('email')} />
        <SelectField label={text.role} hint={roleDescription(input.role)} {...form.field('role')}>
          {grantableRoles(organization?.role ?? 'viewer').map((each) => (
            <option key={each} value={each}>
              {roleName(each)}
            </option>
          ))}
        </SelectField>
      </Form>
    </Dialog>
  )
}
