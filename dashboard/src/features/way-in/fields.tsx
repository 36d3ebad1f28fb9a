import { TextField } from '../../components/field.tsx'
import { text } from '../../messages/index.ts'

const { signIn } = text.wayIn
const MIN_LENGTH = 12
const MAX_LENGTH = 128

export function EmailField({ label = signIn.email, autoFocus = false }: { label?: string; autoFocus?: boolean }) {
  return (
    <TextField
      label={label}
      name="email"
      data-name={signIn.emailName}
      type="email"
      autoComplete="username"
      autoFocus={autoFocus}
      required
    />
  )
}

export function PasswordField({ name = 'password' }: { name?: string }) {
  return (
    <TextField
      label={signIn.password}
      name={name}
      data-name={signIn.passwordName}
      type="password"
      autoComplete="current-password"
      required
    />
  )
}

export function NewPasswordField({ label = signIn.password, name = 'password' }: { label?: string; name?: string }) {
  return (
    <TextField
      label={label}
      hint={text.wayIn.passwordHint}
      name={name}
      data-name={signIn.passwordName}
      type="password"
      autoComplete="new-password"
      minLength={MIN_LENGTH}
      maxLength={MAX_LENGTH}
      required
    />
  )
}

/** Appears once it is known that there is a second factor. */
export function CodeField() {
  return (
    <TextField
      label={signIn.code}
      hint={signIn.codeHint}
      name="totp_code"
      data-name={signIn.codeName}
      autoComplete="one-time-code"
      spellCheck={false}
      maxLength={64}
      mono
      autoFocus
      required
    />
  )
}
