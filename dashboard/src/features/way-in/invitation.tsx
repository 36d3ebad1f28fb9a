import { type Client, VedetteError } from '@vedette/client'
import { useState } from 'react'
import { text } from '../../messages/index.ts'
import { CodeField, PasswordField } from './fields.tsx'
import { WayInForm } from './form.tsx'
import { isCodeWanted } from './sign-in.tsx'

const words = text.wayIn.invitation

/** Behind the link of an invitation: a new user's password is made with it, a known user gives theirs. */
export function Invitation({ client, token, onSession }: { client: Client; token: string; onSession: (token: string) => void }) {
  const [hasCode, setHasCode] = useState(false)
  const submit = async ({ password = '', totp_code }: Record<string, string>) => {
    const session = await client.invitations.accept({ token, password, ...(totp_code === undefined ? {} : { totp_code }) })
    onSession(session.token)
  }
  const explain = (error: unknown) => {
    if (isCodeWanted(error)) {
      setHasCode(true)
      return text.wayIn.signIn.codeWanted
    }
    return error instanceof VedetteError && error.code === 'not_found' ? words.gone : undefined
  }
  return (
    <WayInForm title={words.title} lead={words.lead} submit={words.submit} onSubmit={submit} explain={explain}>
      <PasswordField />
      {hasCode && <CodeField />}
    </WayInForm>
  )
}
