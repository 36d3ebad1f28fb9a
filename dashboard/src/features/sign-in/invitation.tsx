import { type Client, VedetteError } from '@vedette/client'
import { messages } from '../../messages/index.ts'
import { useState } from 'react'
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
  const submit = async ({ password = '', totp_code, replace, remember }: Record<string, string>) => {
    const session = await client.invitations.accept({
      token,
      password,
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
    <SignInForm title={text.title} lead={text.lead} submit={text.submit} onSubmit={submit} explain={explainInvitation}>
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
