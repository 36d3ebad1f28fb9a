import type { Client } from '@vedette/client'
import type { IdentityProviderChoices } from '@vedette/shared'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { canUsePasskeys } from '../../lib/can-use-passkeys.ts'
import { messages } from '../../messages/index.ts'
import { EmailField, PasswordField, RememberField, useCodeField } from './fields.tsx'
import { SignInForm } from './form.tsx'

const text = messages.signIn.login

interface Props {
  client: Client
  note?: string | undefined
  onSession: (token: string, isRemembered: boolean) => void
}

/** Only where the browser has passkeys. */
const PasskeyButton = lazy(async () => ({ default: (await import('./passkey-button.tsx')).PasskeyButton }))
const ProviderChoice = lazy(async () => ({ default: (await import('./provider-choice.tsx')).ProviderChoice }))

/** Signs in with email and password, and with a code where the account has two-factor authentication; or with a passkey. */
export function SignIn({ client, note, onSession }: Props) {
  const { codeField, explain } = useCodeField()
  const [choice, setChoice] = useState<IdentityProviderChoices['identity_providers']>()
  const submit = async ({ email = '', password = '', totp_code, remember }: Record<string, string>) => {
    const { token } = await client.auth.login({
      email,
      password,
      ...(totp_code === undefined ? {} : { totp_code }),
      remember: remember === 'on',
    })
    onSession(token, remember === 'on')
  }
  const goTo = (id: string) => {
    location.href = `/v1/auth/oidc/${id}/start?return_to=${location.pathname}`
  }
  /** Leads to the provider of the e-mail, and back to this page. */
  const byProvider = async (form: HTMLFormElement | null) => {
    const email = new FormData(form as HTMLFormElement).get('email') as string
    const { identity_providers: providers } = await client.identityProviders.find({ email })
    if (providers[1]) setChoice(providers)
    else if (providers[0]) goTo(providers[0].id)
    else toast(text.noProvider)
  }
  return (
    <SignInForm
      title={text.title}
      submit={text.submit}
      note={note}
      onSubmit={submit}
      explain={explain}
      footer={
        <>
          <Suspense>{canUsePasskeys() && <PasskeyButton client={client} onSession={onSession} />}</Suspense>
          <Button onClick={({ currentTarget: { form } }) => void byProvider(form).catch(toastError)}>{text.byProvider}</Button>
          {choice && (
            <Suspense>
              <ProviderChoice providers={choice} onChoose={goTo} onClose={() => setChoice(undefined)} />
            </Suspense>
          )}
          <a href="/password-reset" className="justify-self-center text-muted hover:text-text hover:underline">
            {text.resetLink}
          </a>
        </>
      }
    >
      <EmailField autoFocus autoComplete="username webauthn" />
      <PasswordField />
      {codeField}
      <RememberField />
    </SignInForm>
  )
}
