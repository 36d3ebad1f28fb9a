import { type Client, VedetteError } from '@vedette/client'
import { messages } from '../../messages/index.ts'
import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import type { InvitationOffer } from '@vedette/shared'
import { useEffect, useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { personText } from '../../lib/person.ts'
import { roleName } from '../../lib/roles.ts'
import { PasswordField, RememberField, useCodeField } from './fields.tsx'
import { SignInForm } from './form.tsx'

const text = messages.signIn.invitation

/** Accepts an invitation. New users choose a password, existing users enter theirs. */
export function AcceptInvitation({
  client,
  token,
  onSession,
}: {
  client: Client
  token: string
  onSession: (token: string, isRemembered: boolean) => void
}) {
  const { codeField, explain } = useCodeField()
  const [isRefused, setRefused] = useState(false)
  const offer = useOffer(client, token)
  const submit = async ({ name = '', password = '', totp_code, replace, remember }: Record<string, string>) => {
    const session = await client.invitations.accept({
      token,
      password,
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(totp_code === undefined ? {} : { totp_code }),
      remember: remember === 'on',
      ...(replace === undefined ? {} : { replace_unverified: true }),
    })
    onSession(session.token, remember === 'on')
  }
  const explainInvitation = (error: unknown) => {
    if (error instanceof VedetteError && error.code === 'unauthorized') setRefused(true)
    return explain(error) ?? (error instanceof VedetteError && error.code === 'not_found' ? text.invalid : undefined)
  }
  return (
    <SignInForm
      title={text.title}
      lead={offer ? <Offer offer={offer} /> : text.lead}
      submit={text.submit}
      onSubmit={submit}
      explain={explainInvitation}
    >
      <TextField label={text.name} name="name" autoComplete="name" maxLength={MAX_NAME_LENGTH} />
      <PasswordField />
      {codeField}
      <RememberField />
      {/* Who is asked for a code has given the right password. */}
      {isRefused && !codeField && (
        <label className="flex items-center gap-2">
          <input type="checkbox" name="replace" /> {text.replace}
        </label>
      )}
    </SignInForm>
  )
}

/** Undefined until it is known, and where the link leads nowhere: the answer to the form says why. */
function useOffer(client: Client, token: string): InvitationOffer | undefined {
  const [offer, setOffer] = useState<InvitationOffer>()
  useEffect(() => {
    client.invitations.read({ token }).then(setOffer, () => undefined)
  }, [client, token])
  return offer
}

function Offer({ offer: { organization, email, role, invited_by: by } }: { offer: InvitationOffer }) {
  return (
    <span className="grid gap-1.5 [overflow-wrap:anywhere]">
      <span className="font-semibold text-text">{text.offer(isolated(organization), roleName(role))}</span>
      <span>
        {by && `${text.by(isolated(personText(by)))} `}
        {email}
      </span>
      <span>{text.lead}</span>
    </span>
  )
}

/** A name within a sentence, whatever direction it is written in. */
const isolated = (name: string): string => `\u2068${name}\u2069`
