import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactor } from './two-factor.tsx'

export function Security() {
  return (
    <>
      <Password />
      <TwoFactor />
      <Sessions />
    </>
  )
}
