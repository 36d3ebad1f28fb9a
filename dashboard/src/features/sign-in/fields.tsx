import { VedetteError } from '@vedette/client'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@vedette/shared/tables'
import { useState } from 'react'
import { CheckField, TextField } from '../../components/field.tsx'
import { messages } from '../../messages/index.ts'

const { login } = messages.signIn

interface EmailProps {
  label?: string
  autoFocus?: boolean
  autoComplete?: string
}

export function EmailField({ label = login.email, autoFocus = false, autoComplete = 'username' }: EmailProps) {
  return <TextField label={label} name="email" type="email" autoComplete={autoComplete} autoFocus={autoFocus} required />
}

export function PasswordField({ name = 'password' }: { name?: string }) {
  return <TextField label={login.password} name={name} type="password" autoComplete="current-password" required />
}

export function NewPasswordField({ label = login.password, name = 'password' }: { label?: string; name?: string }) {
  return (
    <TextField
      label={label}
      hint={messages.signIn.passwordHint(PASSWORD_MIN_LENGTH, PASSWORD_MAX_LENGTH)}
      name={name}
      type="password"
      autoComplete="new-password"
      minLength={PASSWORD_MIN_LENGTH}
      maxLength={PASSWORD_MAX_LENGTH}
      required
    />
  )
}

/** The value of the form is `on` where it is ticked. */
export function RememberField() {
  return <CheckField name="remember" label={login.remember} />
}

/** The field for the second factor, once the API requires a code; `explain` is for `SignInForm`. */
export function useCodeField() {
  const [isRequired, setRequired] = useState(false)
  const explain = (error: unknown): string | undefined => {
    if (!(error instanceof VedetteError) || error.code !== 'totp_required') return undefined
    setRequired(true)
    return login.codeRequired
  }
  const codeField = isRequired && (
    <TextField
      label={login.code}
      hint={login.codeHint}
      name="totp_code"
      autoComplete="one-time-code"
      spellCheck={false}
      maxLength={64}
      mono
      autoFocus
      required
    />
  )
  return { codeField, explain }
}
