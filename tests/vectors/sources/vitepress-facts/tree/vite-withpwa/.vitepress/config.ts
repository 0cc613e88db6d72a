export default withPwa({
  ...base,
  srcDir: 'src',
})
