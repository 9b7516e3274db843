-- Holds jobs at submission, for the external scheduler to release: copy it beside slurm.conf, with
-- JobSubmitPlugins=lua there.
--
-- The tag tells these holds from users' own: a job submitted with --hold (priority 0) gets none, and the external
-- scheduler never touches it; when its user releases it, Slurm's own loop starts it.
--
-- While no scheduler is alive nothing is held: jobs are then Slurm's own business.

-- The partitions that have an external scheduler (its -p), with its lock file (its -l); what asks for others, or for several,
-- is Slurm's business. true instead of a file: hold always, as when the scheduler runs on another machine.
local ours = { main = "/run/surefill/main.lock" }

-- The second number in the lock file is the time until which the scheduler counts as alive.
local function alive(file)
    if file == true then return true end
    local lock = io.open(file, "r")
    if not lock then return false end
    local line = lock:read("*l")
    lock:close()
    local till = line and line:match("^%s*%d+%s+(%d+)%s*$")
    return till ~= nil and os.time() <= tonumber(till)
end

local function default(partitions)
    for name, partition in pairs(partitions) do
        if partition.flag_default ~= 0 then return name end
    end
end

function slurm_job_submit(job, partitions, user)
    local file = ours[job.partition or default(partitions)]
    if job.priority ~= 0 and file and alive(file) then
        job.priority = 0
        job.admin_comment = "surefill"
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, user)
    return slurm.SUCCESS
end
