import type { Client } from '@vedette/client'
import { messages } from '../../messages/index.ts'
import { SignInForm } from './form.tsx'

const text = messages.signIn.verifyEmail

/** Confirms the e-mail of a mailed link. A button: mail scanners open links, too. */
export function VerifyEmail({ client, token, onDone }: { client: Client; token: string; onDone: (email: string) => void }) {
  const submit = async () => onDone((await client.auth.verifyEmail({ token })).email)
  return (
    <SignInForm title={text.title} submit={text.submit} onSubmit={submit}>
      <p className="text-soft">{text.lead}</p>
    </SignInForm>
  )
}
