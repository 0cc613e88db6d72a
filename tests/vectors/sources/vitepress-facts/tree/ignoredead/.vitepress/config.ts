export default { ignoreDeadLinks: true }
