import type { View } from '../app.ts'
import { formOf } from '../components/form.ts'

/** Makes the first owner, with the code that the start prints. */
export const showSetup: View = ({ client, show, signedIn }) => {
  const { element, field } = formOf('setup', async ({ code = '', email = '', password = '', organization = '', ...rest }) => {
    const allow_private_targets = rest['allow_private_targets'] === 'on'
    const { token } = await client.setup.complete({ code, email, password, organization, allow_private_targets })
    signedIn(token)
  })
  show(element)
  const code = takeCode()
  field('code').value = code
  field(code === '' ? 'code' : 'email').focus()
}

/** The code of the URL: a secret, so it leaves the address bar at once, and stays with this entry of the history for a reload. */
function takeCode(): string {
  const state = history.state as { code?: string } | null
  const code = new URLSearchParams(location.search).get('code') ?? state?.code ?? ''
  if (code !== '') history.replaceState({ code }, '', '/')
  return code
}
