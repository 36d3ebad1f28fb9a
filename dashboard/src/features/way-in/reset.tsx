import type { Client } from '@vedette/client'
import { useState } from 'react'
import { text } from '../../messages/index.ts'
import { CodeField, EmailField, NewPasswordField } from './fields.tsx'
import { WayInForm } from './form.tsx'
import { isCodeWanted } from './sign-in.tsx'

const words = text.wayIn.reset

const back = (
  <a href="/" className="justify-self-center text-muted hover:text-text hover:underline">
    {words.back}
  </a>
)

/** Asks for a link by mail. Whether the address is known is told to nobody. */
export function AskForReset({ client }: { client: Client }) {
  const [isSent, setSent] = useState(false)
  if (isSent) {
    return (
      <div role="status" className="panel grid w-full max-w-md gap-3 p-6 sm:p-8">
        <h1>{words.title}</h1>
        <p>{words.sent}</p>
        <p className="text-muted">{words.noMail}</p>
        {back}
      </div>
    )
  }
  const submit = async ({ email = '' }: Record<string, string>) => {
    await client.auth.requestPasswordReset({ email })
    setSent(true)
  }
  return (
    <WayInForm title={words.title} lead={words.lead} submit={words.submit} onSubmit={submit} footer={back}>
      <EmailField autoFocus />
    </WayInForm>
  )
}

/** Behind the link of the mail. */
export function ConfirmReset({
  client,
  token,
  onSession,
}: {
  client: Client
  token: string
  onSession: (token: string) => void
}) {
  const [hasCode, setHasCode] = useState(false)
  const submit = async ({ new_password = '', totp_code }: Record<string, string>) => {
    const session = await client.auth.confirmPasswordReset({
      token,
      new_password,
      ...(totp_code === undefined ? {} : { totp_code }),
    })
    onSession(session.token)
  }
  const explain = (error: unknown) => {
    if (!isCodeWanted(error)) return undefined
    setHasCode(true)
    return text.wayIn.signIn.codeWanted
  }
  return (
    <WayInForm
      title={words.newTitle}
      lead={words.newLead}
      submit={words.newSubmit}
      onSubmit={submit}
      explain={explain}
      footer={back}
    >
      <NewPasswordField name="new_password" label={words.newPassword} />
      {hasCode && <CodeField />}
    </WayInForm>
  )
}
