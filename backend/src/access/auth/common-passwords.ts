/** The most common passwords of 12 characters or more; shorter ones are refused by their length. Lower case. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `123456789012 1234567890123 12345678901234 123456789123 123456789987654321 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc
  1qaz2wsx3edc4rfv 1qazxsw23edc 1234qwerasdf 123qweasdzxc 123qwe123qwe 123123123123 147258369147 987654321098 qwertyuiop12
  qwertyuiop123 qwertyuiop1234 qwertyuiopasdf qwertyuiopasdfghjkl qwerty123456 qwerty1234567 qwerty12345678 qwertyqwerty
  asdfghjkl123 asdfghjkl1234 zxcvbnm12345 zaq12wsxcde3 zaq1xsw2cde3 abcdefghijkl abcdefghijklm abc123abc123 abcd1234abcd
  abcdefg12345 a1b2c3d4e5f6 password1234 password12345 password123456 password1234567 passwordpassword password123!
  passw0rd1234 p@ssw0rd1234 p@ssword1234 password2024 password2025 password2026 mypassword123 changeme1234 changeme12345
  changemenow1 letmeinletmein letmein12345 iloveyou1234 iloveyou12345 iloveyouforever iloveyousomuch welcome12345
  welcome123456 welcome2024! welcome2025! welcome2026! administrator administrator1 admin1234567 admin12345678 adminadmin12
  adminadminadmin rootroot1234 superadmin12 monkey123456 dragon123456 football1234 baseball1234 basketball12 princess1234
  sunshine1234 superman1234 michael12345 charlie12345 trustno1trustno1 computer1234 internet1234 samsung12345 google123456
  facebook1234 correcthorsebatterystaple  vedettevedette vedette12345 vedette123456
  monitoring12 monitoring123 unknownunknown testtesttest test12345678 testpassword testpassword1 secretsecret secret123456
  masterpassword master123456 defaultpassword`.split(/\s+/),
)
