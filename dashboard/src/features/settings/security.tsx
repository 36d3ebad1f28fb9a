import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { SecondFactor } from './second-factor.tsx'

export function Security() {
  return (
    <>
      <Password />
      <SecondFactor />
      <Sessions />
    </>
  )
}
