import { type Client, VedetteError } from '@vedette/client'
import { useState } from 'react'
import { text } from '../../messages/index.ts'
import { CodeField, EmailField, PasswordField } from './fields.tsx'
import { WayInForm } from './form.tsx'

const words = text.wayIn.signIn

export const isCodeWanted = (error: unknown): boolean => error instanceof VedetteError && error.code === 'totp_required'

interface Props {
  client: Client
  note?: string | undefined
  onSession: (token: string) => void
}

/** Asks for e-mail and password, and for a code once it is known that there is a second factor. */
export function SignIn({ client, note, onSession }: Props) {
  const [hasCode, setHasCode] = useState(false)
  const submit = async ({ email = '', password = '', totp_code }: Record<string, string>) => {
    const { token } = await client.auth.login({ email, password, ...(totp_code === undefined ? {} : { totp_code }) })
    onSession(token)
  }
  const explain = (error: unknown) => {
    if (!isCodeWanted(error)) return undefined
    setHasCode(true)
    return words.codeWanted
  }
  return (
    <WayInForm
      title={words.title}
      submit={words.submit}
      note={note}
      onSubmit={submit}
      explain={explain}
      footer={
        <a href="/password-reset" className="justify-self-center text-muted hover:text-text hover:underline">
          {words.forgot}
        </a>
      }
    >
      <EmailField autoFocus />
      <PasswordField />
      {hasCode && <CodeField />}
    </WayInForm>
  )
}
