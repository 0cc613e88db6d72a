export default function Dial() { return null }
