import { DeleteAccount } from './delete-account.tsx'
import { Email } from './email.tsx'
import { Password } from './password.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactor } from './two-factor.tsx'

export function Security() {
  return (
    <>
      <Password />
      <Email />
      <Passkeys />
      <TwoFactor />
      <Sessions />
      <DeleteAccount />
    </>
  )
}
