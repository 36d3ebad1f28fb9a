import type { Client } from '@vedette/client'
import { useState } from 'react'
import { messages } from '../../messages/index.ts'
import { EmailField, NewPasswordField, RememberField, useCodeField } from './fields.tsx'
import { SignInForm } from './form.tsx'

const text = messages.signIn.reset

const back = (
  <a href="/" className="justify-self-center text-muted hover:text-text hover:underline">
    {text.back}
  </a>
)

/** Requests a link by mail. The answer does not show whether the address has an account. */
export function RequestReset({ client }: { client: Client }) {
  const [isSent, setSent] = useState(false)
  if (isSent) {
    return (
      <div role="status" className="panel grid w-full max-w-md gap-3 p-6 sm:p-8">
        <h1>{text.title}</h1>
        <p>{text.sent}</p>
        <p className="text-muted">{text.noMail}</p>
        {back}
      </div>
    )
  }
  const submit = async ({ email = '' }: Record<string, string>) => {
    await client.auth.requestPasswordReset({ email })
    setSent(true)
  }
  return (
    <SignInForm title={text.title} lead={text.lead} submit={text.submit} onSubmit={submit} footer={back}>
      <EmailField autoFocus />
    </SignInForm>
  )
}

/** Sets a new password with the token of the mail. */
export function ConfirmReset({
  client,
  token,
  onSession,
}: {
  client: Client
  token: string
  onSession: (token: string, isRemembered: boolean) => void
}) {
  const { codeField, explain } = useCodeField()
  const submit = async ({ new_password = '', totp_code, remember }: Record<string, string>) => {
    const session = await client.auth.confirmPasswordReset({
      token,
      new_password,
      ...(totp_code === undefined ? {} : { totp_code }),
      remember: remember === 'on',
    })
    onSession(session.token, remember === 'on')
  }
  return (
    <SignInForm
      title={text.newTitle}
      lead={text.newLead}
      submit={text.newSubmit}
      onSubmit={submit}
      explain={explain}
      footer={back}
    >
      <NewPasswordField name="new_password" label={text.newPassword} />
      {codeField}
      <RememberField />
    </SignInForm>
  )
}
