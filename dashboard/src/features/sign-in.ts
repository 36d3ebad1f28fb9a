import { VedetteError } from '@vedette/client'
import type { View } from '../app.ts'
import { type Form, formOf } from '../components/form.ts'

/** Asks for e-mail and password, and for a code once it is known that there is a second factor. */
export const signIn =
  (note = ''): View =>
  ({ client, show, signedIn }) => {
    const form = formOf(
      'login',
      async ({ email = '', password = '', totp_code }) => {
        const { token } = await client.auth.login({ email, password, ...(totp_code === undefined ? {} : { totp_code }) })
        signedIn(token)
      },
      (error, form) => (isCodeWanted(error) ? askForCode(form) : undefined),
    )
    show(form.element)
    form.complain(note)
    form.field('email').focus()
  }

const isCodeWanted = (error: unknown): boolean => error instanceof VedetteError && error.code === 'totp_required'

/** A disabled field is neither sent nor missed. */
function askForCode({ field }: Form): string {
  const code = field('totp_code')
  code.disabled = false
  code.closest('label')?.removeAttribute('hidden')
  code.focus()
  return 'Your account has a second factor: enter the code that your authenticator shows, or a recovery code.'
}
